//! Trials of how a tick waits: the timeout that the kernel gets, and an error of the wait.

use std::sync::mpsc;
use std::time::Duration;

use anyhow::Context;
use kit::{Refusal, Sleeper};
use scene::{Program, Transcript, say, trial};
use step07_full_loop::{Clock, EventLoop, LoopError, MonotonicClock, Time, get_running_loop};

/// A way to wait.
#[derive(Debug, Clone, Copy)]
enum Wait {
    /// Nothing to do, until another thread calls.
    Forever,
    /// A clock that lets the loop sleep for an hour, whatever it wanted.
    AsTheClockSays,
    /// The kernel refuses to let it sleep.
    Refused,
    /// It refuses to let it drain the queue's inbox.
    DrainRefused,
}

const TABLE: [Wait; 4] = [Wait::Forever, Wait::AsTheClockSays, Wait::Refused, Wait::DrainRefused];

/// A clock with an answer of its own.
struct HourClock(MonotonicClock);

impl Clock for HourClock {
    fn now(&self) -> Time {
        self.0.now()
    }

    fn sleep_for(&self, _wanted: Option<Duration>) -> Option<Duration> {
        Some(Duration::from_hours(1))
    }
}

trial!(
    how_a_tick_waits,
    1,
    "A tick sleeps in the selector for as long as the clock says, and hands an error up."
);
fn how_a_tick_waits(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for wait in program.verbs(TABLE) {
        match wait {
            Wait::Forever => {
                say!(t, "without a timer it sleeps {}", timeout_of(EventLoop::new)?);
            }
            Wait::AsTheClockSays => {
                let make = || EventLoop::with_clock(HourClock(MonotonicClock::new()));
                say!(t, "the clock says an hour, and it sleeps {}", timeout_of(make)?);
            }
            Wait::Refused => {
                let ended = run_during(&Refusal::of_epoll_waits(kit::EPERM))?;
                say!(t, "a wait that fails with EPERM: {ended}");
            }
            Wait::DrainRefused => {
                let ended = run_during(&[Refusal::of_reads(kit::EPERM)])?;
                say!(t, "a wake-up whose drain fails with EPERM: {ended}");
            }
        }
    }
    Ok(())
}

/// Runs a loop in a thread until it's asleep, and returns the timeout that it gave the kernel.
fn timeout_of(
    make: impl FnOnce() -> Result<EventLoop, LoopError> + Send + 'static,
) -> anyhow::Result<String> {
    let (sender, receiver) = mpsc::channel();
    let sleeper = Sleeper::start(move || {
        let run = || -> Result<(), LoopError> {
            let event_loop = make()?;
            let _ = sender.send(event_loop.handle());
            event_loop.run_forever()
        };
        format!("{:?}", run())
    })?;
    let handle = receiver.recv().context("the loop couldn't be made")?;
    sleeper.wait_until_asleep()?;
    let timeout = sleeper.arguments().and_then(|arguments| arguments.get(3).copied());
    handle.call_soon_threadsafe(|| {
        if let Ok(event_loop) = get_running_loop() {
            event_loop.stop();
        }
    })?;
    let ended = sleeper.join()?;
    // The kernel takes an int: −1 is forever.
    let slept = match timeout.map(|timeout| timeout & u64::from(u32::MAX)) {
        None => "for a time that the kernel doesn't tell".to_owned(),
        Some(timeout) if timeout == u64::from(u32::MAX) => "forever".to_owned(),
        Some(timeout) => format!("for {timeout} ms"),
    };
    Ok(format!("{slept}; woken by a call, run_forever returns {ended}"))
}

/// Runs a loop for one tick, with something in its inbox, while the kernel refuses a call.
fn run_during(refusals: &[Refusal]) -> anyhow::Result<String> {
    Refusal::all_during(refusals, || {
        let run = || -> Result<(), LoopError> {
            let event_loop = EventLoop::new()?;
            event_loop.handle().call_soon_threadsafe(|| {})?;
            event_loop.stop();
            event_loop.run_forever()
        };
        match run() {
            Err(LoopError::Io(error)) => format!("Err(Io({:?}))", error.kind()),
            other => format!("{other:?}"),
        }
    })
}
