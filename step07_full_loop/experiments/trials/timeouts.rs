//! Trials of how long a tick can sleep: loops with timers in any state and work of each kind.

use std::collections::BTreeMap;
use std::fmt;
use std::future::pending;
use std::time::Duration;

use kit::cost::{resident_bytes, within};
use scene::{Program, Random, Transcript, say, trial};
use step07_full_loop::{EventLoop, ReadyQueue, Result};

use crate::scenes::asked_clock::AskedClock;

const DAY: u64 = 24 * 3600 * 1_000_000_000;

/// A change to the time that the loop can sleep.
#[derive(Debug, Clone, Copy)]
enum Verb {
    CallLater(usize, Duration),
    CancelTimer(usize),
    Advance(Duration),
    CallSoon,
    CallSoonCancelled,
    Send,
    /// Another thread will finish a future and wake the loop for it.
    WaitForAThread,
    /// A task has run its first step and waits.
    ATaskWaits,
    Stop,
}

impl Verb {
    fn random(timer: usize, random: &mut Random) -> Verb {
        let time = Duration::from_nanos(random.boundary(&[DAY, DAY, 2 * DAY, 1_000_000, 2]));
        match random.below(40) {
            0..20 => Verb::CallLater(timer, time),
            20..28 => Verb::CancelTimer(random.below(timer + 1)),
            28..36 => Verb::Advance(time),
            36 => Verb::CallSoon,
            37 => Verb::CallSoonCancelled,
            38 => random.choose(&[Verb::Send, Verb::WaitForAThread, Verb::ATaskWaits]),
            _ => Verb::Stop,
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::CallLater(timer, delay) => write!(f, "timer {timer}: call_later({delay:?})"),
            Verb::CancelTimer(timer) => write!(f, "timer {timer}: cancel()"),
            Verb::Advance(duration) => write!(f, "{duration:?} pass"),
            Verb::CallSoon => f.write_str("call_soon()"),
            Verb::CallSoonCancelled => f.write_str("call_soon(), then cancel() on its handle"),
            Verb::Send => f.write_str("call_soon_threadsafe()"),
            Verb::WaitForAThread => f.write_str("create_remote_future()"),
            Verb::ATaskWaits => f.write_str("create_task(); the task begins to wait"),
            Verb::Stop => f.write_str("stop()"),
        }
    }
}

trial!(
    how_long_it_can_sleep,
    120,
    "The loop can sleep until its nearest timer, but for a day at most, and not at all if it has work or should stop."
);
fn how_long_it_can_sleep(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let count = 1 + random.below(12);
    let verbs = program.verbs((0..count).map(|timer| Verb::random(timer, &mut random)));
    if program.number() == 0 {
        say!(t, "20,000 ticks, with a timer cancelled before each; {}", kept_by_many()?);
    }
    let clock = AskedClock::default();
    let queue = ReadyQueue::new()?;
    let event_loop = EventLoop::with_queue(queue.clone(), clock.clone())?;
    // That a task still waits at the end isn't the question here.
    event_loop.set_exception_handler(|_| {});
    let (mut timers, mut remote) = (BTreeMap::new(), Vec::new());
    for verb in verbs {
        match verb {
            Verb::CallLater(timer, delay) => {
                timers.insert(timer, event_loop.call_later(delay, || {}));
            }
            Verb::CancelTimer(timer) => match timers.get(&timer) {
                Some(timer) => timer.cancel(),
                None => continue,
            },
            Verb::Advance(duration) => clock.0.advance(duration),
            Verb::CallSoon => drop(event_loop.call_soon(|| {})),
            Verb::CallSoonCancelled => event_loop.call_soon(|| {}).cancel(),
            Verb::Send => event_loop.handle().call_soon_threadsafe(|| {})?,
            Verb::WaitForAThread => remote.push(event_loop.create_remote_future::<()>()),
            Verb::ATaskWaits => {
                event_loop.create_task(pending::<Result<()>>());
                queue.run_ready();
            }
            Verb::Stop => event_loop.stop(),
        }
        say!(t, "{verb}; a tick could sleep: {:?}", clock.could_sleep(&event_loop)?);
    }
    event_loop.close()?;
    Ok(())
}

/// Measures the memory that timers leave behind if each is cancelled before the loop would sleep.
fn kept_by_many() -> anyhow::Result<String> {
    let clock = AskedClock::default();
    let event_loop = EventLoop::with_clock(clock.clone())?;
    let before = resident_bytes()?;
    for _ in 0..20_000 {
        event_loop.call_later(Duration::from_mins(1), || {}).cancel();
        clock.could_sleep(&event_loop)?;
    }
    let kept = resident_bytes()?.saturating_sub(before) / 1024;
    event_loop.close()?;
    Ok(format!("KiB kept: {}", within(kept, 400)))
}
