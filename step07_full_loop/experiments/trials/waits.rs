//! Trials of how a tick waits: the timeout that the kernel gets, and errors of the wait.

use std::cell::Cell;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use anyhow::Context;
use kit::{PLAIN_ERRORS, Refusal, Sleeper, errno_name};
use scene::{Program, Transcript, say, trial};
use step01_fd::{pipe, raise_descriptor_limit, write};
use step07_full_loop::{
    Clock, EventLoop, LoopError, LoopResult, MonotonicClock, Time, get_running_loop,
};

/// A way to wait.
#[derive(Debug, Clone, Copy)]
enum Wait {
    /// The loop has nothing to do until another thread wakes it.
    Forever,
    /// The clock lets the loop sleep for this time, whatever the loop wanted. It can be longer than
    /// the loop's own limit.
    AsTheClockSays(Duration),
    /// The clock says an hour, and there's a timer before the hour is over, or after it.
    AsTheClockSaysWithATimer(Duration),
    /// The kernel refuses to let the loop sleep.
    Refused(i32),
    /// The kernel refuses the read that drains the queue's pipe.
    DrainRefused(i32),
    /// When it's asked, the clock uses the loop, which already has a timer if the value is true.
    ClockUsesTheLoop(bool),
    /// The clock uses the loop when the loop reads the time.
    ClockUsesTheLoopWhenRead,
    /// This many descriptors are ready in one tick.
    Many(usize),
    /// An event has arrived, and a timer is due.
    BothAtOnce,
}

const HOUR: Duration = Duration::from_hours(1);

/// A clock that always lets the loop sleep for this time.
struct ClockThatSays(Duration, MonotonicClock);

impl ClockThatSays {
    fn new(time: Duration) -> Self {
        ClockThatSays(time, MonotonicClock::new())
    }
}

impl Clock for ClockThatSays {
    fn now(&self) -> Time {
        self.1.now()
    }

    fn sleep_for(&self, _wanted: Option<Duration>) -> Option<Duration> {
        Some(self.0)
    }
}

trial!(
    how_a_tick_waits,
    1,
    "A tick sleeps in the selector for as long as the clock says and passes an error on."
);
fn how_a_tick_waits(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut table = vec![Wait::Forever, Wait::BothAtOnce];
    table.extend([HOUR, 48 * HOUR].map(Wait::AsTheClockSays));
    let minutes = [30, 90].map(Duration::from_mins);
    table.extend(minutes.map(Wait::AsTheClockSaysWithATimer));
    table.extend([true, false].map(Wait::ClockUsesTheLoop));
    table.push(Wait::ClockUsesTheLoopWhenRead);
    table.extend([65, MANY].map(Wait::Many));
    table.extend(PLAIN_ERRORS.map(Wait::Refused));
    table.extend(PLAIN_ERRORS.map(Wait::DrainRefused));
    for wait in program.verbs(table) {
        match wait {
            Wait::Forever => {
                say!(t, "without a timer, the loop sleeps {}", timeout_of(EventLoop::new)?);
            }
            Wait::AsTheClockSays(time) => {
                let slept = timeout_of(move || EventLoop::with_clock(ClockThatSays::new(time)))?;
                say!(t, "the clock says {time:?}, and the loop sleeps {slept}");
            }
            Wait::AsTheClockSaysWithATimer(delay) => {
                let make = move || {
                    let event_loop = EventLoop::with_clock(ClockThatSays::new(HOUR))?;
                    event_loop.call_later(delay, || {});
                    Ok(event_loop)
                };
                let slept = timeout_of(make)?;
                say!(
                    t,
                    "there's a timer in {delay:?}; the clock says an hour, and the loop sleeps {slept}"
                );
            }
            Wait::Refused(errno) => {
                let ended = run_during(&Refusal::of_epoll_waits(errno))?;
                say!(t, "a tick whose wait fails with {}: {ended}", errno_name(errno));
            }
            Wait::DrainRefused(errno) => {
                let ended = run_during(&Refusal::of_reads(errno))?;
                say!(t, "a tick whose drain fails with {}: {ended}", errno_name(errno));
            }
            Wait::ClockUsesTheLoop(has_a_timer) => clock_uses_the_loop(t, has_a_timer)?,
            Wait::ClockUsesTheLoopWhenRead => clock_uses_the_loop_when_read(t)?,
            Wait::Many(count) => {
                say!(t, "{count} readers are ready in a tick: {} run", many(count)?);
            }
            Wait::BothAtOnce => both_at_once(t)?,
        }
    }
    Ok(())
}

/// Runs a loop in a thread until it's asleep and returns the timeout that it gave the kernel.
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
        None => "for a time that the kernel doesn't show".to_owned(),
        Some(timeout) if timeout == u64::from(u32::MAX) => "forever".to_owned(),
        Some(timeout) => format!("for {timeout} ms"),
    };
    Ok(format!("{slept}; once a call has stopped the loop, run_forever returns {ended}"))
}

/// Runs a loop for one tick, with a message in its inbox, while the kernel refuses a call. Other
/// descriptors become ready before the inbox and after it.
fn run_during(refusals: &[Refusal]) -> anyhow::Result<String> {
    Refusal::all_during(refusals, || {
        let run = || -> LoopResult<(LoopResult<()>, usize, u32, bool)> {
            let event_loop = EventLoop::new()?;
            let (before, behind) = (pipe()?, pipe()?);
            let (held, runs) = (Arc::new(()), Rc::new(Cell::new(0)));
            for (readable, _) in [&before, &behind] {
                let (inside, runs) = (Arc::clone(&held), Rc::clone(&runs));
                event_loop.add_reader(readable, move || {
                    let _ = &inside;
                    runs.set(runs.get() + 1);
                })?;
            }
            write(&before.1, b"!")?;
            event_loop.handle().call_soon_threadsafe(|| {})?;
            write(&behind.1, b"!")?;
            event_loop.stop();
            let ran = event_loop.run_forever();
            let found = event_loop.waiting(0).ready.len();
            event_loop.close()?;
            let kept = Arc::strong_count(&held) > 1;
            Ok((ran, found, runs.get(), kept))
        };
        let (ran, found, runs, is_held) = match run() {
            Ok(ended) => ended,
            Err(error) => return format!("an error before the wait: {error}"),
        };
        let ran = match ran {
            Err(LoopError::Io(error)) => {
                format!("Err(Io({}))", errno_name(step01_fd::errno(&error)))
            }
            other => format!("{other:?}"),
        };
        let readers = if is_held { "; after close(), the loop still has its readers" } else { "" };
        format!(
            "{ran}; callbacks left in the queue: {found}; readers that have run: {runs}{readers}"
        )
    })
}

/// A clock that registers and unregisters a descriptor and schedules callbacks the first time it's
/// asked.
struct UsesTheLoop(MonotonicClock, Cell<Option<UnixStream>>, Transcript);

impl Clock for UsesTheLoop {
    fn now(&self) -> Time {
        self.0.now()
    }

    fn sleep_for(&self, could_sleep: Option<Duration>) -> Option<Duration> {
        match self.1.take().map(|other| self.use_the_loop(&other)) {
            Some(Ok(())) => Some(Duration::ZERO),
            Some(Err(error)) => {
                say!(self.2, "  the clock can't use the loop: {error}");
                Some(Duration::ZERO)
            }
            None => could_sleep,
        }
    }
}

impl UsesTheLoop {
    fn use_the_loop(&self, other: &UnixStream) -> LoopResult<()> {
        let event_loop = get_running_loop()?;
        event_loop.add_reader(other, || {})?;
        event_loop.remove_reader(other)?;
        let (stopper, t, next) = (event_loop.clone(), self.2, event_loop.clone());
        event_loop.call_soon(move || {
            say!(t, "  a callback scheduled by the clock");
            next.call_soon(move || say!(t, "  the next tick"));
        });
        event_loop.call_later(Duration::ZERO, move || {
            say!(t, "  a timer that's due at once");
            stopper.stop();
        });
        Ok(())
    }
}

fn clock_uses_the_loop(t: Transcript, has_a_timer: bool) -> anyhow::Result<()> {
    let (other, _its_peer) = UnixStream::pair()?;
    let clock = UsesTheLoop(MonotonicClock::new(), Cell::new(Some(other)), t);
    let event_loop = EventLoop::with_clock(clock)?;
    if has_a_timer {
        event_loop.call_later(Duration::from_hours(1), || {});
    }
    let ran = event_loop.run_forever();
    say!(t, "the clock uses the loop, and the clock's timer stops it: {ran:?}");
    event_loop.close()?;
    Ok(())
}

/// A clock that does the same the first time a running loop reads it.
struct UsesTheLoopWhenRead(UsesTheLoop);

impl Clock for UsesTheLoopWhenRead {
    fn now(&self) -> Time {
        if get_running_loop().is_ok() {
            self.0.sleep_for(None);
        }
        self.0.now()
    }

    fn sleep_for(&self, could_sleep: Option<Duration>) -> Option<Duration> {
        could_sleep
    }
}

/// The loop has a timer, so it reads the clock before it sleeps.
fn clock_uses_the_loop_when_read(t: Transcript) -> anyhow::Result<()> {
    let (other, _its_peer) = UnixStream::pair()?;
    let clock = UsesTheLoop(MonotonicClock::new(), Cell::new(Some(other)), t);
    let event_loop = EventLoop::with_clock(UsesTheLoopWhenRead(clock))?;
    event_loop.call_later(Duration::from_hours(1), || {});
    say!(t, "the clock uses the loop when it's read, and the clock's timer stops the loop");
    let ran = event_loop.run_forever();
    say!(t, "run_forever returns {ran:?}");
    event_loop.close()?;
    Ok(())
}

/// More than a thousand descriptors, so that a body that takes a thousand events at most is found
/// out. The process may have to raise its limit to open them.
const MANY: usize = 1010;

/// Makes this many descriptors of one pipe ready and returns how many readers run in the next
/// tick.
fn many(count: usize) -> anyhow::Result<usize> {
    raise_descriptor_limit()?;
    let event_loop = EventLoop::new()?;
    let (readable, writable) = pipe()?;
    let ran = Rc::new(Cell::new(0));
    let mut copies = Vec::new();
    for _ in 0..count {
        let copy = readable.try_clone()?;
        let counter = Rc::clone(&ran);
        event_loop.add_reader(&copy, move || counter.set(counter.get() + 1))?;
        copies.push(copy);
    }
    drop(writable);
    event_loop.stop();
    event_loop.run_forever()?;
    for copy in &copies {
        event_loop.remove_reader(copy)?;
    }
    event_loop.close()?;
    Ok(ran.get())
}

fn both_at_once(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::with_clock(ClockThatSays::new(HOUR))?;
    let (ours, theirs) = UnixStream::pair()?;
    drop(theirs);
    event_loop.add_reader(&ours, move || say!(t, "  the reader runs"))?;
    event_loop.call_later(Duration::ZERO, move || say!(t, "  the timer runs"));
    say!(t, "a reader and a timer are ready in a tick whose wait could last an hour");
    event_loop.stop();
    event_loop.run_forever()?;
    event_loop.remove_reader(&ours)?;
    event_loop.close()?;
    Ok(())
}
