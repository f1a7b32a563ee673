//! Trials of `run_until_done`: runs that end with the task or are stopped earlier, and their effect
//! on a later run.

use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;
use std::rc::Rc;
use std::time::Duration;

use kit::{PLAIN_ERRORS, Refusal, errno_name};
use scene::{Program, Random, Transcript, say, trial};
use step07_full_loop::{
    Clock, Error, EventLoop, LoopError, LoopResult, MonotonicClock, Result, Time, VirtualClock,
    get_running_loop, yield_now,
};

/// A property of a program with two runs. In the first run, a coroutine runs to its end unless the
/// loop is stopped.
#[derive(Debug, Clone, Copy)]
enum Verb {
    /// The coroutine yields.
    Yield,
    /// The coroutine schedules a callback.
    CallSoon,
    /// The coroutine fails instead of returning a result.
    Fail,
    /// The coroutine fails with the error of a future that has no result yet.
    InvalidState,
    /// The coroutine ends cancelled, because it awaits a cancelled future.
    Cancelled,
    Panic,
    /// The coroutine stops the loop.
    Stop,
    /// A callback stops the loop in this tick.
    StopInTick(u32),
    /// The loop is stopped before it runs.
    StopBefore,
    /// The second run is for another coroutine.
    RunAnother,
}

impl Verb {
    fn random(random: &mut Random) -> Verb {
        match random.below(24) {
            0..10 => Verb::Yield,
            10..13 => Verb::CallSoon,
            13 => random.choose(&[Verb::Fail, Verb::InvalidState]),
            14 => Verb::Cancelled,
            15 => Verb::Panic,
            16 => Verb::Stop,
            17..20 => Verb::StopInTick(u32::try_from(1 + random.below(6)).unwrap_or(1)),
            20 => Verb::StopBefore,
            _ => Verb::RunAnother,
        }
    }
}

/// Carries out the coroutine's verbs.
async fn run_script(t: Transcript, verbs: Vec<Verb>) -> Result<usize> {
    let event_loop = get_running_loop()?;
    say!(t, "  the task begins");
    for verb in &verbs {
        match verb {
            Verb::Yield => yield_now().await?,
            Verb::CallSoon => drop(event_loop.call_soon(move || say!(t, "  the task's callback"))),
            Verb::Fail => return Err(Error::other("no such user")),
            Verb::InvalidState => return Err(Error::InvalidState("its own error")),
            Verb::Cancelled => {
                let future = event_loop.create_future::<()>();
                future.cancel();
                future.await?;
            }
            // A panic!, but without its message on standard error.
            Verb::Panic => resume_unwind(Box::new("oh no")),
            Verb::Stop => event_loop.stop(),
            Verb::StopInTick(_) | Verb::StopBefore | Verb::RunAnother => {}
        }
    }
    say!(t, "  the task ends");
    Ok(verbs.len())
}

/// Prints the number of each tick and stops the loop in the tick that `stops` names.
fn count_ticks(t: Transcript, event_loop: &EventLoop, tick: u32, stops: Rc<Cell<Option<u32>>>) {
    let next = event_loop.clone();
    event_loop.call_soon(move || {
        let stops_now = stops.get() == Some(tick);
        say!(t, "  tick {tick}{}", if stops_now { ": stop()" } else { "" });
        if stops_now {
            next.stop();
        }
        count_ticks(t, &next, tick + 1, stops);
    });
}

fn outcome(result: LoopResult<usize>) -> String {
    match result {
        Err(LoopError::Task(error)) => format!("Err(Task({error}))"),
        Err(LoopError::Io(error)) => format!("Err(Io({}))", errno_name(step01_fd::errno(&error))),
        other => format!("{other:?}"),
    }
}

trial!(
    runs_until_done,
    120,
    "A run for a task ends when the task ends, or early if it's stopped, and doesn't affect the \
     next run."
);
fn runs_until_done(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let count = 1 + random.below(8);
    let verbs = program.verbs((0..count).map(|_| Verb::random(&mut random)));
    if program.number() == 0 {
        for errno in program.verbs(PLAIN_ERRORS) {
            say!(t, "a run whose wait fails with {}: {}", errno_name(errno), refused(errno)?);
        }
        say!(t, "a run whose wait fails, and another run: {}", again_after_an_error()?);
        for_what_is_done(t)?;
        let (ends, fails) = (error_behind_the_end(false)?, error_behind_the_end(true)?);
        say!(t, "a run whose wait fails after the task's end: {ends}");
        say!(t, "a run whose wait fails after the task's failure: {fails}");
        say!(
            t,
            "another run after a wait that fails after the task's end: {}",
            again_behind_the_end()?
        );
        say!(t, "after an early stop, the loop is freed: {}", is_freed_after_an_early_stop()?);
        say!(t, "after a run whose wait fails, the loop is freed: {}", is_freed_after_an_error()?);
    }
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    // Said at the end: when the last handle to a task goes depends on who has one.
    let reports = Rc::<RefCell<Vec<String>>>::default();
    let reported = Rc::clone(&reports);
    event_loop
        .set_exception_handler(move |context| reported.borrow_mut().push(context.to_string()));
    let stops = Rc::new(Cell::new(None));
    for verb in &verbs {
        match verb {
            Verb::StopInTick(tick) => stops.set(Some(*tick)),
            Verb::StopBefore => event_loop.stop(),
            _ => {}
        }
    }
    say!(t, "run_until_complete");
    count_ticks(t, &event_loop, 1, Rc::clone(&stops));
    let ran = event_loop.run_until_complete(run_script(t, verbs.clone()));
    say!(t, "returns {}; is_running() = {}", outcome(ran), event_loop.is_running());

    if verbs.iter().any(|verb| matches!(verb, Verb::RunAnother)) {
        say!(t, "run_until_complete for another coroutine");
        let ran = event_loop.run_until_complete(run_script(t, vec![Verb::Yield; 9]));
        say!(t, "returns {}", outcome(ran));
    } else {
        say!(t, "run_forever until tick 20");
        stops.set(Some(20));
        let ran = event_loop.run_forever();
        say!(t, "returns {ran:?}");
    }
    event_loop.close()?;
    for report in reports.take() {
        say!(t, "  reported: {report}");
    }
    Ok(())
}

/// Runs the loop for a future that's already done. The callback on the future's end still needs a
/// tick.
fn for_what_is_done(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    let future = event_loop.create_future();
    future.set_result(1)?;
    say!(t, "run_until_complete for a future that's already done");
    count_ticks(t, &event_loop, 1, Rc::default());
    event_loop.call_soon(move || {
        say!(t, "  a callback finds the running loop: {}", get_running_loop().is_ok());
    });
    let ran = event_loop.run_until_complete(future);
    say!(t, "returns {}", outcome(ran));
    event_loop.close()?;
    Ok(())
}

/// Returns true if the loop is freed although the future for which it ran still exists.
fn is_freed_after_an_early_stop() -> LoopResult<bool> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.stop();
    is_freed_after_a_run(event_loop)
}

/// The same after a run that fails.
fn is_freed_after_an_error() -> anyhow::Result<String> {
    Refusal::all_during(&refusals_of_the_sleep()?, || {
        let event_loop = EventLoop::with_clock(RefusedSleep(MonotonicClock::new()));
        let is_freed = event_loop.and_then(is_freed_after_a_run);
        is_freed.map_or_else(|error| error.to_string(), |is_freed| is_freed.to_string())
    })
}

fn is_freed_after_a_run(event_loop: EventLoop) -> LoopResult<bool> {
    let (id, future) = (event_loop.id(), event_loop.create_future::<()>());
    let _ = event_loop.run_until_complete(future.clone());
    drop(event_loop);
    let Some(kept) = id.event_loop() else { return Ok(true) };
    kept.close()?;
    Ok(false)
}

fn refused(errno: i32) -> anyhow::Result<String> {
    Refusal::all_during(&Refusal::of_epoll_waits(errno), || {
        let run = || {
            let event_loop = EventLoop::new()?;
            event_loop.set_exception_handler(|_| {});
            // A loop that has nothing to wait for makes no call that could be refused.
            let future = event_loop.create_future();
            let later = future.clone();
            event_loop.call_later(Duration::from_mins(1), move || drop(later.set_result(1)));
            let ran = event_loop.run_until_complete(future);
            event_loop.close()?;
            ran
        };
        outcome(run())
    })
}

/// The only sleep that the kernel refuses.
pub(super) const REFUSED: Duration = Duration::from_secs(5);

/// A clock that turns a sleep without a timer into the refused sleep.
pub(super) struct RefusedSleep(pub(super) MonotonicClock);

impl Clock for RefusedSleep {
    fn now(&self) -> Time {
        self.0.now()
    }

    fn sleep_for(&self, wanted: Option<Duration>) -> Option<Duration> {
        wanted.or(Some(REFUSED))
    }
}

/// A clock that turns the second sleep into the refused sleep.
struct SecondSleepIsRefused(MonotonicClock, Cell<usize>);

impl Clock for SecondSleepIsRefused {
    fn now(&self) -> Time {
        self.0.now()
    }

    fn sleep_for(&self, wanted: Option<Duration>) -> Option<Duration> {
        self.1.set(self.1.get() + 1);
        if self.1.get() == 2 { Some(REFUSED) } else { wanted }
    }
}

/// Runs a task that ends in the first tick. The second tick fails, so the callback on the task's
/// end hasn't run.
fn error_behind_the_end(fails: bool) -> anyhow::Result<String> {
    Refusal::all_during(&refusals_of_the_sleep()?, || {
        let run = || -> LoopResult<String> {
            let clock = SecondSleepIsRefused(MonotonicClock::new(), Cell::new(0));
            let event_loop = EventLoop::with_clock(clock)?;
            let reports = Rc::new(Cell::new(0));
            let counter = Rc::clone(&reports);
            event_loop.set_exception_handler(move |_| counter.set(counter.get() + 1));
            let ran = event_loop.run_until_complete(async move {
                if fails { Err(Error::other("no such user")) } else { Ok(1) }
            });
            event_loop.close()?;
            Ok(format!("{}; reports: {}", outcome(ran), reports.get()))
        };
        run().unwrap_or_else(|error| error.to_string())
    })
}

pub(super) fn refusals_of_the_sleep() -> anyhow::Result<Vec<Refusal>> {
    let timeout = u32::try_from(REFUSED.as_millis())?;
    let refusals = Refusal::of_epoll_waits(kit::EPERM).into_iter();
    let only_this = |refusal| Refusal { argument: Some((3, timeout)), ..refusal };
    Ok(refusals.map(only_this).collect())
}

/// Runs the loop for a future, in vain, because the wait fails. The future gets its result before
/// the second run, which is for a task.
fn again_after_an_error() -> anyhow::Result<String> {
    Refusal::all_during(&refusals_of_the_sleep()?, || {
        let run = || -> LoopResult<String> {
            let event_loop = EventLoop::with_clock(RefusedSleep(MonotonicClock::new()))?;
            let future = event_loop.create_future();
            let waited_for = future.clone();
            let first = event_loop.run_until_complete(waited_for);
            let _ = future.set_result(1);
            let second = event_loop.run_until_complete(nine_turns());
            event_loop.close()?;
            Ok(format!("{}, then {}", outcome(first), outcome(second)))
        };
        run().unwrap_or_else(|error| error.to_string())
    })
}

/// Runs the loop for a task that ends in the first tick. The second tick fails, so the callback on
/// the task's end runs in the second run, which is for another task.
fn again_behind_the_end() -> anyhow::Result<String> {
    Refusal::all_during(&refusals_of_the_sleep()?, || {
        let run = || -> LoopResult<String> {
            let clock = SecondSleepIsRefused(MonotonicClock::new(), Cell::new(0));
            let event_loop = EventLoop::with_clock(clock)?;
            let first = event_loop.run_until_complete(async { Ok(1) });
            let second = event_loop.run_until_complete(nine_turns());
            event_loop.close()?;
            Ok(format!("{}, then {}", outcome(first), outcome(second)))
        };
        run().unwrap_or_else(|error| error.to_string())
    })
}

async fn nine_turns() -> Result<usize> {
    for _ in 0..9 {
        yield_now().await?;
    }
    Ok(2)
}
