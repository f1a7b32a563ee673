//! Trials of `sleep`: tasks that sleep, race two sleeps, give one up, and cancel each other.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use scene::{Program, Random, Transcript, say, trial};
use step07_full_loop::{
    EventLoop, Result, Task, VirtualClock, create_task, get_running_loop, sleep, yield_now,
};

const TASKS: usize = 4;
const NAMES: [&str; TASKS] = ["A", "B", "C", "D"];

/// An action of a task in its script.
#[derive(Debug, Clone, Copy)]
enum Op {
    Sleep(Duration),
    /// Sleeps and is woken once before the time is over.
    WokenEarly(Duration),
    /// Sleeps twice at once, until one of the sleeps is over.
    Race(Duration, Duration),
    /// Polls a sleep once and drops it.
    GiveUp(Duration),
    /// Polls a sleep once and keeps it while it waits for two turns.
    Keep(Duration),
    /// Makes a sleep and never polls it.
    NeverPoll(Duration),
    /// Polls a sleep with another waker first and then awaits it.
    TakeOver(Duration),
    CallSoon,
    CallLaterZero,
    Work(Duration),
    Cancel(usize),
}

impl Op {
    /// Makes an operation.
    ///
    /// If a sleep is polled again before its time, its timer can be replaced. If a sleep is polled
    /// after its time, the sleep can be over before its timer runs. So the times of such sleeps are
    /// all different, and a program that has such sleeps does no work, which would let time pass in
    /// a tick.
    fn random(number: usize, polls_again: bool, random: &mut Random) -> Op {
        let millis = Duration::from_millis(random.choose(&[1, 2, 2, 3, 5]));
        let short =
            random.choose(&[Duration::ZERO, Duration::ZERO, Duration::from_nanos(1), millis]);
        let unique = Duration::from_micros(6000 + 17 * number as u64);
        match random.below(21) {
            0..6 => Op::Sleep(short),
            6 if polls_again => Op::WokenEarly(unique),
            7..9 if polls_again => Op::Race(unique, unique + millis),
            6..9 => Op::Work(millis),
            9 => Op::GiveUp(millis),
            10 => Op::NeverPoll(millis),
            11 => Op::CallSoon,
            12 => Op::CallLaterZero,
            13 => Op::Keep(millis),
            14 if polls_again => Op::TakeOver(unique),
            _ => Op::Cancel(random.below(TASKS)),
        }
    }

    async fn perform(self, t: Transcript, name: &str, tasks: &Tasks) -> Result<()> {
        let event_loop = get_running_loop()?;
        match self {
            Op::Sleep(delay) => sleep(delay).await?,
            Op::WokenEarly(delay) => woken_early(delay).await?,
            Op::Race(one, other) => race(one, other).await?,
            Op::GiveUp(delay) => {
                say!(t, "    after one poll, the sleep waits: {}", give_up(delay).await);
            }
            Op::Keep(delay) => keep(delay).await?,
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

/// The tasks and their clock.
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

/// Polls a sleep once and keeps it for two turns. A cancellation ends the wait for a turn, since
/// the sleep isn't polled any more.
async fn keep(delay: Duration) -> Result<()> {
    let mut sleep = pin!(sleep(delay));
    poll_fn(|context| {
        let _ = sleep.as_mut().poll(context);
        Poll::Ready(())
    })
    .await;
    for _ in 0..2 {
        yield_now().await?;
    }
    Ok(())
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
    "No matter how tasks sleep, each of them wakes at its time or when it's cancelled, and no timer is left over."
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
        // A copy: the tasks cancel each other by the list.
        let all = tasks.all.borrow().clone();
        for (name, task) in NAMES.iter().zip(all) {
            say!(t, "{name}: {:?}", task.await);
        }
        Ok(())
    })?;
    // What was due at once may still have to run.
    event_loop.stop();
    event_loop.run_forever()?;
    say!(t, "when all tasks are done, the loop could sleep: {:?}", event_loop.select_timeout());
    event_loop.close()?;
    Ok(())
}
