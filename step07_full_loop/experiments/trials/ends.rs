//! Trials of `end_tasks`: how a runner ends the tasks that its main has left. They end at once,
//! clean up, fail, stop the loop or can't be asked, all on virtual time.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use kit::{Refusal, errno_name};
use scene::{Program, Random, Transcript, say, trial};
use step07_full_loop::{
    CancelOverride, Clock, Error, EventLoop, LoopError, LoopResult, MonotonicClock, Result, Runner,
    Task, Time, VirtualClock, current_task, get_running_loop, sleep, yield_now,
};

use super::runs::{REFUSED, RefusedSleep, refusals_of_the_sleep};

const HOUR: Duration = Duration::from_hours(1);
const NOT_NOW: &str = "not now";
/// A task that's begun in a clean-up has its maker's number plus this one.
const BEGUN_LATER: usize = 10;
/// A task that another one awaits from the start has its maker's number plus this one.
const AWAITED: usize = 20;

/// A task's reaction when it's asked to end. A further request doesn't stop the clean-up.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Ends,
    /// The task is asked before its first step.
    HasNotBegun,
    /// The task was asked to end before the runner closes, and has swallowed that request.
    HasSwallowed,
    CleansUp(Duration),
    /// The task swallows the request and returns a result.
    Returns(Duration),
    Fails(Duration),
    Panics,
    /// The task begins another task, which would take an hour.
    BeginsAnother,
    /// The task awaits another task that's left, too, so a request to this task reaches that one.
    AwaitsAnother,
    /// The task awaits a future that panics when it's cancelled. The future is done at this time.
    PanicsWhenAsked(Duration),
    StopsTheLoop(Duration),
    /// The task stops the loop in its last step and fails.
    StopsAsItFails(Duration),
}

impl Kind {
    fn random(number: usize, random: &mut Random) -> Kind {
        // It equals no other time, so nothing depends on what comes first at that time.
        let time = random.choose(&[1, 5, 20]) * 1000 + 7 * (number as u64 + 1);
        let time = Duration::from_micros(time);
        match random.below(20) {
            0..2 => Kind::Ends,
            2 => Kind::HasNotBegun,
            3..6 => Kind::CleansUp(time),
            6 => Kind::Returns(time),
            7..9 => Kind::Fails(time),
            9 => Kind::Panics,
            10 => Kind::BeginsAnother,
            11..13 => Kind::PanicsWhenAsked(time),
            13..15 => Kind::StopsAsItFails(time),
            15..17 => Kind::HasSwallowed,
            17 => Kind::AwaitsAnother,
            _ => Kind::StopsTheLoop(time),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Ends => f.write_str("ends at once"),
            Kind::HasNotBegun => f.write_str("hasn't begun"),
            Kind::HasSwallowed => f.write_str("has swallowed an earlier request"),
            Kind::CleansUp(time) => write!(f, "takes {time:?} to clean up"),
            Kind::Returns(time) => write!(f, "takes {time:?} and returns a result"),
            Kind::Fails(time) => write!(f, "takes {time:?} and fails"),
            Kind::Panics => f.write_str("panics"),
            Kind::BeginsAnother => f.write_str("begins another task"),
            Kind::AwaitsAnother => f.write_str("awaits another task"),
            Kind::PanicsWhenAsked(time) => {
                write!(f, "for {time:?}, awaits a future whose cancel() panics")
            }
            Kind::StopsTheLoop(time) => write!(f, "takes {time:?}, stops the loop and goes on"),
            Kind::StopsAsItFails(time) => {
                write!(f, "takes {time:?}, stops the loop and fails in the same step")
            }
        }
    }
}

/// The tasks that are left, and a diary of their events with the times.
#[derive(Default)]
struct Left {
    /// Each task takes its own handle out as it ends, so a failed task's own report isn't late.
    tasks: RefCell<BTreeMap<usize, Task<()>>>,
    /// The tasks that have swallowed an earlier request.
    swallowed: RefCell<BTreeSet<usize>>,
    diary: RefCell<Vec<(Time, String)>>,
}

impl Left {
    fn note(&self, number: usize, what: &str) -> Result<()> {
        let now = get_running_loop()?.time();
        self.diary.borrow_mut().push((now, format!("task {number} {what}")));
        Ok(())
    }

    fn add(self: &Rc<Self>, event_loop: &EventLoop, number: usize, kind: Kind) {
        let task = event_loop.create_task(live(Rc::clone(self), number, kind));
        task.any().set_name(&format!("task {number}"));
        self.tasks.borrow_mut().insert(number, task);
    }

    /// Returns how many tasks haven't been asked to end, without those begun in a clean-up: whether
    /// such a task is here already depends on the order of the requests, which is free.
    fn count_unasked(&self) -> usize {
        let (tasks, swallowed) = (self.tasks.borrow(), self.swallowed.borrow());
        let is_asked =
            |number, task: &Task<()>| task.cancelling() > u32::from(swallowed.contains(number));
        let left = tasks.iter().filter(|(number, _)| !(BEGUN_LATER..AWAITED).contains(*number));
        left.filter(|(number, task)| !task.done() && !is_asked(number, task)).count()
    }
}

/// An override that panics when the future is cancelled.
struct Panics;

impl CancelOverride for Panics {
    fn can_cancel(&self) -> bool {
        true
    }

    fn cancel(&self, _message: Option<&str>) {
        // A panic!, but without its message on standard error.
        resume_unwind(Box::new(NOT_NOW));
    }
}

/// Lives as `kind` says. The task's own handle goes with its end.
async fn live(left: Rc<Left>, number: usize, kind: Kind) -> Result<()> {
    let ended = react(&left, number, kind).await;
    left.tasks.borrow_mut().remove(&number);
    if let Kind::Panics = kind {
        resume_unwind(Box::new("oh no"));
    }
    ended
}

/// Waits until the task is asked to end and then reacts as `kind` says.
async fn react(left: &Rc<Left>, number: usize, kind: Kind) -> Result<()> {
    let event_loop = get_running_loop()?;
    let waited = match kind {
        Kind::PanicsWhenAsked(time) => {
            let future = event_loop.create_future_with(Panics);
            let to_finish = future.clone();
            event_loop.call_later(time, move || drop(to_finish.set_result(())));
            future.await
        }
        Kind::AwaitsAnother => {
            left.add(&event_loop, number + AWAITED, Kind::Ends);
            let other = left.tasks.borrow().get(&(number + AWAITED)).cloned();
            match other {
                Some(other) => other.await,
                None => Ok(()),
            }
        }
        Kind::HasSwallowed => {
            let swallowed = sleep(HOUR).await;
            left.swallowed.borrow_mut().insert(number);
            swallowed.or(sleep(HOUR).await)
        }
        _ => sleep(HOUR).await,
    };
    let Err(asked) = waited else { return left.note(number, "has waited to the end") };
    let requests = current_task().map_or(0, |task| task.cancelling());
    let asked_so_far =
        format!("requests: {requests}; tasks not asked yet: {}", left.count_unasked());
    let message = match &asked {
        Error::Cancelled(Some(message)) => format!(" with the message {message:?}"),
        _ => String::new(),
    };
    left.note(number, &format!("is asked to end{message}; {asked_so_far}"))?;
    match kind {
        Kind::CleansUp(time) => clean_up(left, number, time).await?,
        Kind::Returns(time) => return clean_up(left, number, time).await,
        Kind::Fails(time) => {
            clean_up(left, number, time).await?;
            return Err(Error::other("no room for the crumbs"));
        }
        Kind::BeginsAnother => left.add(&event_loop, number + BEGUN_LATER, Kind::Ends),
        Kind::StopsAsItFails(time) => {
            clean_up(left, number, time).await?;
            event_loop.stop();
            return Err(Error::other("no room for the crumbs"));
        }
        Kind::StopsTheLoop(time) => {
            clean_up(left, number, time).await?;
            event_loop.stop();
            yield_now().await?;
        }
        Kind::Ends
        | Kind::HasNotBegun
        | Kind::HasSwallowed
        | Kind::AwaitsAnother
        | Kind::Panics
        | Kind::PanicsWhenAsked(_) => {}
    }
    Err(asked)
}

/// Cleans up for `time`, however often the task is asked to end.
async fn clean_up(left: &Left, number: usize, time: Duration) -> Result<()> {
    let event_loop = get_running_loop()?;
    let end = event_loop.time() + time;
    while event_loop.time() < end {
        if sleep(end - event_loop.time()).await.is_err() {
            left.note(number, "is asked again")?;
        }
    }
    left.note(number, "has cleaned up")
}

trial!(
    tasks_that_are_left,
    60,
    "A runner that closes asks each remaining task to end, waits for all of them, and reports each failure."
);
fn tasks_that_are_left(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let count = 1 + random.below(5);
    let kinds = program.verbs((0..count).map(|number| Kind::random(number, &mut random)));
    if program.number() == 0 {
        say!(t, "the loop fails as a task cleans up: close() returns {}", refused()?);
        say!(t, "the loop fails when all tasks have ended: {}", refused_at_the_end()?);
        say!(t, "the only task stops the loop in its last step: {}", stopped_at_the_end()?);
        for turns in 0..5 {
            let closed = stopped_in_a_turn(turns)?;
            say!(t, "turns from the request to a task's stop(): {turns}; {closed}");
        }
    }
    for (number, kind) in kinds.iter().enumerate() {
        say!(t, "task {number}: {kind}");
    }
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    let left = Rc::<Left>::default();
    let (told, telling) = (Rc::clone(&left), event_loop.clone());
    event_loop.set_exception_handler(move |context| {
        let task = context.task.as_deref().unwrap_or("no task");
        let report = format!("the handler gets a report of {task}: {context}");
        told.diary.borrow_mut().push((telling.time(), report));
    });
    for (number, kind) in kinds.iter().enumerate() {
        if !matches!(kind, Kind::HasNotBegun) {
            left.add(&event_loop, number, *kind);
        }
    }
    let runner = Runner::of(event_loop.clone());
    runner.run(yield_now())?;
    if kinds.iter().any(|kind| matches!(kind, Kind::HasSwallowed)) {
        for (number, task) in left.tasks.borrow().iter() {
            if let Some(Kind::HasSwallowed) = kinds.get(*number) {
                task.cancel();
            }
        }
        runner.run(yield_now())?;
    }
    for (number, kind) in kinds.iter().enumerate() {
        if matches!(kind, Kind::HasNotBegun) {
            left.add(&event_loop, number, *kind);
        }
    }
    let closed = close(runner);
    left.tasks.take();
    let mut diary = left.diary.take();
    // At the same time, there's no promised order: tasks are asked and reported in any.
    diary.sort();
    for (time, line) in diary {
        say!(t, "  at {time}, {line}");
    }
    say!(t, "close() {closed} at {}", event_loop.time());
    Ok(())
}

/// Closes the runner and describes the outcome.
fn close(runner: Runner) -> String {
    match catch_unwind(AssertUnwindSafe(|| runner.close())) {
        Ok(closed) => format!("returns {}", outcome(closed)),
        Err(payload) => {
            // Dropped, it would close once more, and perhaps panic again.
            mem::forget(runner);
            if payload.downcast_ref() == Some(&NOT_NOW) {
                return "panics".to_owned();
            }
            resume_unwind(payload)
        }
    }
}

fn outcome(closed: LoopResult<()>) -> String {
    match closed {
        Err(LoopError::Io(error)) => format!("Err(Io({}))", errno_name(step01_fd::errno(&error))),
        other => format!("{other:?}"),
    }
}

/// Closes a runner whose task never ends its clean-up, while the kernel refuses the loop's sleep.
fn refused() -> anyhow::Result<String> {
    Refusal::all_during(&refusals_of_the_sleep()?, || {
        let run = || {
            let event_loop = EventLoop::with_clock(RefusedSleep(MonotonicClock::new()))?;
            event_loop.set_exception_handler(|_| {});
            event_loop.create_task(async {
                let asked = sleep(HOUR).await;
                get_running_loop()?.create_future::<()>().await.and(asked)
            });
            let runner = Runner::of(event_loop);
            runner.run(yield_now())?;
            runner.close()
        };
        outcome(run())
    })
}

/// A clock that turns the next sleep into the refused sleep once it's told to.
struct RefusedOnceTold(MonotonicClock, Rc<Cell<bool>>);

impl Clock for RefusedOnceTold {
    fn now(&self) -> Time {
        self.0.now()
    }

    fn sleep_for(&self, wanted: Option<Duration>) -> Option<Duration> {
        if self.1.take() { Some(REFUSED) } else { wanted }
    }
}

/// Closes a runner whose only task fails as it ends, while the kernel refuses the sleep of the
/// next tick. Returns the outcome and the reports.
fn refused_at_the_end() -> anyhow::Result<String> {
    Refusal::all_during(&refusals_of_the_sleep()?, || {
        let reports = Rc::<RefCell<Vec<String>>>::default();
        let run = || {
            let is_refused = Rc::new(Cell::new(false));
            let clock = RefusedOnceTold(MonotonicClock::new(), Rc::clone(&is_refused));
            let event_loop = EventLoop::with_clock(clock)?;
            let told = Rc::clone(&reports);
            event_loop.set_exception_handler(move |report| {
                told.borrow_mut().push(report.to_string());
            });
            event_loop.create_task::<()>(async move {
                let _ = sleep(HOUR).await;
                is_refused.set(true);
                Err(Error::other("no room for the crumbs"))
            });
            let runner = Runner::of(event_loop);
            runner.run(yield_now())?;
            runner.close()
        };
        let closed = outcome(run());
        format!("close() returns {closed}; reports: {}", reports.take().join(", "))
    })
}

/// More callbacks than the loop takes from other threads in one tick.
const SENT: usize = 8000;

/// Closes a runner whose only task sends callbacks and stops the loop in its last step. `close`
/// runs all callbacks that have been sent, so nothing that `end_tasks` leaves may stop that run.
fn stopped_at_the_end() -> anyhow::Result<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    let ran = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ran);
    event_loop.create_task::<()>(async move {
        let asked = sleep(HOUR).await;
        let event_loop = get_running_loop()?;
        for _ in 0..SENT {
            let count = Arc::clone(&count);
            event_loop.call_soon_threadsafe(move || {
                count.fetch_add(1, SeqCst);
            })?;
        }
        event_loop.stop();
        asked
    });
    let runner = Runner::of(event_loop);
    runner.run(yield_now())?;
    let closed = outcome(runner.close());
    Ok(format!("close() returns {closed} and has run {} of {SENT} callbacks", ran.load(SeqCst)))
}

/// Closes a runner one of whose tasks stops the loop this many turns after it's asked to end, and
/// goes on. The others end at once: the stop may not be lost in the ticks that follow their ends.
fn stopped_in_a_turn(turns: usize) -> anyhow::Result<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.set_exception_handler(|_| {});
    event_loop.create_task(sleep(HOUR));
    event_loop.create_task::<()>(async move {
        let asked = sleep(HOUR).await;
        for _ in 0..turns {
            yield_now().await?;
        }
        get_running_loop()?.stop();
        for _ in 0..10 {
            yield_now().await?;
        }
        asked
    });
    event_loop.create_task(sleep(HOUR));
    let runner = Runner::of(event_loop);
    runner.run(yield_now())?;
    Ok(format!("close() returns {}", outcome(runner.close())))
}
