//! Trials of `sleep`: tasks that sleep, race two sleeps, give one up, and cancel each other.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use scene::{Program, Random, Transcript, say, trial};
use step07_full_loop::{
    EventLoop, Result, Task, VirtualClock, create_task, get_running_loop, sleep,
};

const TASKS: usize = 4;
const NAMES: [&str; TASKS] = ["A", "B", "C", "D"];

/// Something that a task does in its script.
#[derive(Debug, Clone, Copy)]
enum Op {
    Sleep(Duration),
    /// Sleeps, and is woken once before the time is over.
    WokenEarly(Duration),
    /// Sleeps twice at once, until one of the sleeps is over.
    Race(Duration, Duration),
    /// Polls a sleep once, and drops it.
    GiveUp(Duration),
    /// Makes a sleep and never polls it.
    NeverPoll(Duration),
    /// Polls a sleep for somebody else first, and then awaits it.
    TakeOver(Duration),
    CallSoon,
    CallLaterZero,
    Work(Duration),
    Cancel(usize),
}

impl Op {
    /// Makes an operation.
    ///
    /// If a sleep is polled again before its time, its timer can be made anew, and if it's polled
    /// after its time, it can be over before its timer runs. So the times of such sleeps are all
    /// different, and a program that has some does no work, which would let time pass in a tick.
    fn random(number: usize, polls_again: bool, random: &mut Random) -> Op {
        let millis = Duration::from_millis(random.choose(&[1, 2, 2, 3, 5]));
        let short =
            random.choose(&[Duration::ZERO, Duration::ZERO, Duration::from_nanos(1), millis]);
        let unique = Duration::from_micros(6000 + 17 * number as u64);
        match random.below(20) {
            0..6 => Op::Sleep(short),
            6 if polls_again => Op::WokenEarly(unique),
            7..9 if polls_again => Op::Race(unique, unique + millis),
            6..9 => Op::Work(millis),
            9 => Op::GiveUp(millis),
            10 => Op::NeverPoll(millis),
            11 => Op::CallSoon,
            12 => Op::CallLaterZero,
            13 if polls_again => Op::TakeOver(unique),
            _ => Op::Cancel(random.below(TASKS)),
        }
    }

    async fn perform(self, t: Transcript, name: &str, tasks: &Tasks) -> Result<()> {
        let event_loop = get_running_loop()?;
        match self {
            Op::Sleep(delay) => sleep(delay).await?,
            Op::WokenEarly(delay) => woken_early(delay).await?,
            Op::Race(one, other) => race(one, other).await?,
            Op::GiveUp(delay) => say!(t, "    polled once, it waits: {}", give_up(delay).await),
            Op::NeverPoll(delay) => drop(sleep(delay)),
            Op::TakeOver(delay) => take_over(delay).await?,
            Op::CallSoon => {
                let line = format!("    {name}'s callback");
                event_loop.call_soon(move || say!(t, "{line}"));
            }
            Op::CallLaterZero => {
                let line = format!("    {name}'s timer, due at once");
                event_loop.call_later(Duration::ZERO, move || say!(t, "{line}"));
            }
            Op::Work(duration) => tasks.clock.advance(duration),
            Op::Cancel(other) => {
                let task = tasks.all.borrow().get(other).cloned();
                say!(t, "    cancel(): {}", task.is_some_and(|task| task.cancel()));
            }
        }
        Ok(())
    }
}

/// The tasks, and the clock that they sleep by.
struct Tasks {
    all: RefCell<Vec<Task<()>>>,
    clock: VirtualClock,
}

async fn woken_early(delay: Duration) -> Result<()> {
    let (mut sleep, mut was_woken) = (pin!(sleep(delay)), false);
    poll_fn(|context| {
        if !std::mem::replace(&mut was_woken, true) {
            context.waker().wake_by_ref();
        }
        sleep.as_mut().poll(context)
    })
    .await
}

async fn race(one: Duration, other: Duration) -> Result<()> {
    let (mut one, mut other) = (pin!(sleep(one)), pin!(sleep(other)));
    poll_fn(|context| match one.as_mut().poll(context) {
        Poll::Pending => other.as_mut().poll(context),
        Poll::Ready(outcome) => Poll::Ready(outcome),
    })
    .await
}

async fn take_over(delay: Duration) -> Result<()> {
    let mut sleep = pin!(sleep(delay));
    match sleep.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => sleep.await,
    }
}

/// Returns true if the sleep would have waited.
async fn give_up(delay: Duration) -> bool {
    let mut sleep = pin!(sleep(delay));
    poll_fn(|context| Poll::Ready(sleep.as_mut().poll(context).is_pending())).await
}

async fn run_script(t: Transcript, task: usize, script: Vec<Op>, tasks: Rc<Tasks>) -> Result<()> {
    let name = NAMES[task];
    for op in script {
        let outcome = op.perform(t, name, &tasks).await;
        let now = get_running_loop()?.time();
        say!(t, "  {now}: {name} has done {op:?}: {outcome:?}");
        // The others end at the first error.
        if task.is_multiple_of(2) {
            continue;
        }
        outcome?;
    }
    Ok(())
}

trial!(
    sleeps_of_many_tasks,
    120,
    "However tasks sleep and are cancelled, each wakes at its time, and no timer is left over."
);
fn sleeps_of_many_tasks(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let polls_again = program.number().is_multiple_of(2);
    let verbs =
        (0..20).map(|number| (random.below(TASKS), Op::random(number, polls_again, &mut random)));
    let verbs = program.verbs(verbs.collect::<Vec<_>>());
    let clock = VirtualClock::new();
    let event_loop = EventLoop::with_clock(clock.clone())?;
    event_loop.set_exception_handler(move |message| say!(t, "  reported: {message}"));
    let tasks = Rc::new(Tasks { all: RefCell::default(), clock });
    event_loop.run_until_complete(async move {
        for task in 0..TASKS {
            let script = verbs.iter().filter(|(actor, _)| *actor == task).map(|(_, op)| *op);
            let coroutine = run_script(t, task, script.collect(), Rc::clone(&tasks));
            tasks.all.borrow_mut().push(create_task(coroutine)?);
        }
        for (name, task) in NAMES.iter().zip(tasks.all.take()) {
            say!(t, "{name}: {:?}", task.await);
        }
        Ok(())
    })?;
    // What was due at once may still have to run.
    event_loop.stop();
    event_loop.run_forever()?;
    say!(t, "when all are done, the loop could sleep: {:?}", event_loop.select_timeout());
    event_loop.close()?;
    Ok(())
}

/// A sleep on its own.
#[derive(Debug, Clone, Copy)]
enum Case {
    OutsideALoop,
    Longest,
    /// For a power of two of nanoseconds, and one more and one less.
    PowerOfTwo(u32),
    /// A callback cancels the sleeper in the tick in which its sleep is over, just before.
    CancelledInItsTick,
    HoldsOthersUp,
}

trial!(
    sleeps_by_themselves,
    1,
    "A sleep needs a loop, can be as long as a Duration, and doesn't keep other tasks from running."
);
fn sleeps_by_themselves(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut cases =
        vec![Case::OutsideALoop, Case::Longest, Case::HoldsOthersUp, Case::CancelledInItsTick];
    // Two years at most: the loop wakes every day.
    cases.extend((0..=56).map(Case::PowerOfTwo));
    for case in program.verbs(cases) {
        match case {
            Case::OutsideALoop => {
                let mut sleep = pin!(sleep(Duration::from_millis(1)));
                let polled = sleep.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                let fails = matches!(polled, Poll::Ready(Err(_)));
                say!(t, "outside a loop, sleep(1ms) fails at once: {fails}");
            }
            Case::Longest => say!(t, "sleep(Duration::MAX), cancelled: {}", longest()?),
            Case::CancelledInItsTick => {
                say!(t, "sleep(1ms), cancelled when it's over: {}", cancelled_in_its_tick(t)?);
            }
            Case::PowerOfTwo(power) => power_of_two(t, 1 << power)?,
            Case::HoldsOthersUp => {
                say!(t, "callbacks that ran during a task's sleep of 1 ms: {}", during_a_sleep()?);
            }
        }
    }
    Ok(())
}

fn cancelled_in_its_tick(t: Transcript) -> anyhow::Result<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.set_exception_handler(move |message| say!(t, "  reported: {message}"));
    Ok(event_loop.run(async {
        let event_loop = get_running_loop()?;
        let delay = Duration::from_millis(1);
        let sleeper = create_task(sleep(delay))?;
        let target = sleeper.clone();
        // Timers of the same time run in the order in which they were made.
        event_loop.call_later(delay, move || {
            target.cancel();
        });
        Ok(format!("{:?}", sleeper.await))
    })?)
}

fn power_of_two(t: Transcript, nanos: u64) -> anyhow::Result<()> {
    for nanos in nanos.saturating_sub(1)..=nanos + 1 {
        let delay = Duration::from_nanos(nanos);
        let event_loop = EventLoop::with_clock(VirtualClock::new())?;
        let slept = event_loop.run_until_complete(async move {
            let event_loop = get_running_loop()?;
            let before = event_loop.time();
            sleep(delay).await?;
            Ok(event_loop.time() - before)
        })?;
        say!(t, "sleep({delay:?}) takes {slept:?}");
        event_loop.close()?;
    }
    Ok(())
}

fn longest() -> anyhow::Result<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    Ok(event_loop.run(async {
        let sleeper = create_task(sleep(Duration::MAX))?;
        sleep(Duration::from_secs(1)).await?;
        sleeper.cancel();
        Ok(format!("{:?}", sleeper.await))
    })?)
}

/// On the real clock, a timer that's due before the sleep is over has to run before, too.
fn during_a_sleep() -> anyhow::Result<usize> {
    let event_loop = EventLoop::new()?;
    let (ran, counter) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (count, seen) = (Rc::clone(&counter), Rc::clone(&ran));
    event_loop.run(async move {
        let event_loop = get_running_loop()?;
        event_loop.call_soon(move || count.set(count.get() + 1));
        sleep(Duration::from_millis(1)).await?;
        seen.set(counter.get());
        Ok(())
    })?;
    Ok(ran.get())
}
