//! A trial of single sleeps: their limits, the tick in which they end, and the callbacks that run
//! meanwhile.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use kit::{WakerCall, anybodys_waker};
use scene::{Program, Transcript, say, trial};
use step07_full_loop::{
    Clock, EventLoop, Time, VirtualClock, create_task, get_running_loop, sleep, yield_now,
};

/// A sleep on its own.
#[derive(Debug, Clone, Copy)]
enum Case {
    /// A sleep so long that its number of nanoseconds, or of a larger unit, doesn't fit into a
    /// small integer.
    Long(Duration),
    /// Sleeps for a power of two of nanoseconds, and for one nanosecond less and more.
    PowerOfTwo(u32),
    /// The sleep is dropped after its time is over but before the loop has looked at the timers.
    DroppedLate,
    /// The sleep is polled after its time is over but before the loop has looked at the timers, and
    /// then dropped.
    PolledLate,
    /// After the sleep's time is over but before the loop has looked at the timers, a second task
    /// polls the sleep.
    PolledLateByAnother,
    /// The waker of the first poll uses the loop when the second poll drops it.
    OtherWaker,
    /// The waker of the only poll uses the loop when the sleep is dropped.
    OtherWakerIsDropped,
    /// The wakers of two polls use the loop when they're cloned and when they're dropped.
    WakersThatAreCloned,
    /// The waker of a poll after the sleep is over uses the loop when it's cloned and dropped.
    OtherWakerWhenItIsOver,
    /// A callback cancels the sleeper just before its sleep is over, in the same tick.
    CancelledInItsTick,
    /// The sleep's time has passed before its first poll.
    OverAtItsFirstPoll,
    /// The task is already cancelled when the sleep begins.
    CancelledBefore(Duration),
    HoldsOthersUp(Duration),
}

const LONG: [Duration; 6] = [
    Duration::MAX,
    // 2 to the power of 64 nanoseconds, microseconds and milliseconds, and a bit more.
    Duration::from_secs(18_446_744_074),
    Duration::from_secs(18_446_744_073_710),
    Duration::from_secs(18_446_744_073_709_552),
    // 2 to the power of 32 milliseconds and seconds.
    Duration::from_secs(4_294_968),
    Duration::from_secs(1 << 32),
];

trial!(
    sleeps_by_themselves,
    1,
    "A sleep can take any Duration, and it doesn't keep other tasks from running."
);
fn sleeps_by_themselves(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let [nanosecond, millisecond] = [Duration::from_nanos(1), Duration::from_millis(1)];
    let mut cases = vec![
        Case::DroppedLate,
        Case::PolledLate,
        Case::PolledLateByAnother,
        Case::OtherWaker,
        Case::OtherWakerIsDropped,
        Case::WakersThatAreCloned,
        Case::OtherWakerWhenItIsOver,
        Case::CancelledInItsTick,
        Case::OverAtItsFirstPoll,
    ];
    cases.extend(LONG.map(Case::Long));
    cases.extend([millisecond, nanosecond].map(Case::HoldsOthersUp));
    cases.extend([millisecond, nanosecond].map(Case::CancelledBefore));
    // A little over two years at most: the loop wakes every day.
    cases.extend((0..=56).map(Case::PowerOfTwo));
    for case in program.verbs(cases) {
        match case {
            Case::DroppedLate => {
                let left = late(false)?;
                say!(t, "when sleep(1ms) is dropped after 2 ms, timers left: {left}");
            }
            Case::PolledLate => {
                let left = late(true)?;
                say!(t, "when sleep(1ms) is polled and dropped after 2 ms, timers left: {left}");
            }
            Case::PolledLateByAnother => {
                let is_told = polled_late_by_another()?;
                say!(
                    t,
                    "when a second task polls sleep(1ms) after 2 ms, it finds that the sleep is \
                     over, or it's woken: {is_told}"
                );
            }
            Case::OtherWaker => {
                let slept = other_waker()?;
                say!(t, "the first poll's waker uses the loop when it's dropped: {slept}");
            }
            Case::OtherWakerIsDropped => {
                let waits = dropped_with_its_waker()?;
                say!(t, "a sleep is dropped, and its waker then uses the loop: {waits}");
            }
            Case::WakersThatAreCloned => {
                let waits = with_wakers_that_are_cloned()?;
                say!(t, "the wakers of two polls use the loop when they're cloned: {waits}");
            }
            Case::OtherWakerWhenItIsOver => {
                let is_over = polled_when_it_is_over()?;
                say!(t, "a sleep is over, and the next poll's waker uses the loop: {is_over}");
            }
            Case::Long(delay) => {
                say!(t, "sleep({delay:?}), cancelled after 10 s, returns {}", long(delay)?);
            }
            Case::CancelledBefore(delay) => {
                say!(
                    t,
                    "sleep({delay:?}) in a cancelled task returns {}",
                    cancelled_before(delay)?
                );
            }
            Case::CancelledInItsTick => {
                say!(
                    t,
                    "sleep(1ms), cancelled in the tick in which it's over, returns {}",
                    cancelled_in_its_tick(t)?
                );
            }
            Case::OverAtItsFirstPoll => {
                let ticks = over_at_its_first_poll()?;
                say!(t, "a sleep whose time has passed before its first poll takes {ticks} ticks");
            }
            Case::PowerOfTwo(power) => power_of_two(t, 1 << power)?,
            Case::HoldsOthersUp(delay) => {
                let ran = during_a_sleep(delay)?;
                say!(t, "callbacks that ran during a task's sleep of {delay:?}: {ran}");
            }
        }
    }
    Ok(())
}

/// Returns the number of timers that are left of a sleep that's dropped late.
fn late(is_polled_again: bool) -> anyhow::Result<usize> {
    let clock = VirtualClock::new();
    let event_loop = EventLoop::with_clock(clock.clone())?;
    Ok(event_loop.run(async move {
        let mut sleep = Box::pin(sleep(Duration::from_millis(1)));
        let polled = poll_fn(|context| Poll::Ready(sleep.as_mut().poll(context))).await;
        clock.advance(Duration::from_millis(2));
        if is_polled_again {
            // There's no promise whether it's over.
            let _ = poll_fn(|context| Poll::Ready(sleep.as_mut().poll(context))).await;
        }
        drop((sleep, polled));
        Ok(get_running_loop()?.held().timers)
    })?)
}

/// A waker that counts its wakes.
#[derive(Default)]
struct CountsWakes(AtomicUsize);

impl Wake for CountsWakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// Returns true if the poll of a second task finds the sleep over, or if that task is woken.
fn polled_late_by_another() -> anyhow::Result<bool> {
    let clock = VirtualClock::new();
    let event_loop = EventLoop::with_clock(clock.clone())?;
    Ok(event_loop.run(async move {
        let mut sleep = Box::pin(sleep(Duration::from_millis(1)));
        let counts = [(); 2].map(|()| Arc::new(CountsWakes::default()));
        let wakers = counts.clone().map(Waker::from);
        let first = sleep.as_mut().poll(&mut Context::from_waker(&wakers[0]));
        clock.advance(Duration::from_millis(2));
        let second = sleep.as_mut().poll(&mut Context::from_waker(&wakers[1]));
        for _ in 0..4 {
            yield_now().await?;
        }
        let is_told = second.is_ready() || counts[1].0.load(Relaxed) > 0;
        Ok(first.is_pending() && is_told)
    })?)
}

/// A waker that uses the loop when it's dropped.
struct UsesTheLoop;

impl Wake for UsesTheLoop {
    fn wake(self: Arc<Self>) {}
}

impl Drop for UsesTheLoop {
    fn drop(&mut self) {
        // A second panic would end the process before the first one is reported.
        if let Ok(event_loop) = get_running_loop()
            && !thread::panicking()
        {
            event_loop.call_later(Duration::ZERO, || {});
        }
    }
}

/// Returns whether the first poll waits, or the error of the sleep.
fn other_waker() -> anyhow::Result<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    let slept = event_loop.run_until_complete(async move {
        let mut sleep = pin!(sleep(Duration::from_millis(1)));
        let waker = Waker::from(Arc::new(UsesTheLoop));
        let waits = sleep.as_mut().poll(&mut Context::from_waker(&waker)).is_pending();
        drop(waker);
        sleep.await.map(|()| waits)
    });
    event_loop.close()?;
    Ok(format!("{slept:?}"))
}

/// Returns whether the only poll waits, or the error of the drop.
fn dropped_with_its_waker() -> anyhow::Result<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    let dropped = event_loop.run_until_complete(async {
        let mut sleep = Box::pin(sleep(Duration::from_millis(1)));
        let waker = Waker::from(Arc::new(UsesTheLoop));
        let waits = sleep.as_mut().poll(&mut Context::from_waker(&waker)).is_pending();
        drop(waker);
        drop(sleep);
        Ok(waits)
    });
    event_loop.close()?;
    Ok(format!("{dropped:?}"))
}

/// The action of a waker that's cloned, woken or dropped.
fn use_the_loop(_: WakerCall) {
    drop(UsesTheLoop);
}

/// Returns whether each of two polls waits, or the error of a poll.
fn with_wakers_that_are_cloned() -> anyhow::Result<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    let polled = event_loop.run_until_complete(async {
        let mut sleep = Box::pin(sleep(Duration::from_millis(1)));
        let mut waits = [false; 2];
        for waits in &mut waits {
            let waker = anybodys_waker(use_the_loop);
            *waits = sleep.as_mut().poll(&mut Context::from_waker(&waker)).is_pending();
        }
        drop(sleep);
        Ok(waits)
    });
    event_loop.close()?;
    Ok(format!("{polled:?}"))
}

/// Returns whether a poll after the sleep is over finds that out, or the error of the poll.
fn polled_when_it_is_over() -> anyhow::Result<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    let polled = event_loop.run_until_complete(async {
        let mut shorter = Box::pin(sleep(Duration::from_millis(1)));
        let waits = shorter.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending();
        sleep(Duration::from_millis(2)).await?;
        let waker = anybodys_waker(use_the_loop);
        let is_over = shorter.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
        Ok(waits && is_over)
    });
    event_loop.close()?;
    Ok(format!("{polled:?}"))
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

/// A clock that moves on by a millisecond whenever it's read, and never sleeps.
struct MovesWhenRead(Cell<u64>);

impl Clock for MovesWhenRead {
    fn now(&self) -> Time {
        self.0.set(self.0.get() + 1_000_000);
        Time::from_nanos(self.0.get())
    }

    fn sleep_for(&self, _could_sleep: Option<Duration>) -> Option<Duration> {
        Some(Duration::ZERO)
    }
}

/// Counts the ticks that follow.
fn count_ticks(event_loop: &EventLoop, ticks: Rc<Cell<usize>>) {
    let next = event_loop.clone();
    event_loop.call_soon(move || {
        ticks.set(ticks.get() + 1);
        count_ticks(&next, ticks);
    });
}

/// Returns the number of ticks that begin during a sleep of a nanosecond.
fn over_at_its_first_poll() -> anyhow::Result<usize> {
    let event_loop = EventLoop::with_clock(MovesWhenRead(Cell::new(0)))?;
    let ticks = Rc::new(Cell::new(0));
    let counter = Rc::clone(&ticks);
    let taken = event_loop.run_until_complete(async move {
        count_ticks(&get_running_loop()?, counter);
        sleep(Duration::from_nanos(1)).await?;
        Ok(ticks.get())
    })?;
    event_loop.close()?;
    Ok(taken)
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

fn long(delay: Duration) -> anyhow::Result<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    Ok(event_loop.run(async move {
        let sleeper = create_task(sleep(delay))?;
        sleep(Duration::from_secs(10)).await?;
        sleeper.cancel();
        Ok(format!("{:?}", sleeper.await))
    })?)
}

fn cancelled_before(delay: Duration) -> anyhow::Result<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    Ok(event_loop.run(async move {
        let event_loop = get_running_loop()?;
        let sleeper = create_task(async move {
            // A wait that knows nothing of cancellation leaves it to the next one.
            let mut was_polled = false;
            poll_fn(|context| {
                if std::mem::replace(&mut was_polled, true) {
                    return Poll::Ready(());
                }
                context.waker().wake_by_ref();
                Poll::Pending
            })
            .await;
            sleep(delay).await
        })?;
        yield_now().await?;
        sleeper.cancel();
        let before = event_loop.time();
        let outcome = sleeper.await;
        Ok(format!("{outcome:?} after {:?}", event_loop.time() - before))
    })?)
}

/// Returns the number of callbacks that ran during a sleep on the real clock. A callback that's
/// ready before the sleep has to run first.
fn during_a_sleep(delay: Duration) -> anyhow::Result<usize> {
    let event_loop = EventLoop::new()?;
    let (ran, counter) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (count, seen) = (Rc::clone(&counter), Rc::clone(&ran));
    event_loop.run(async move {
        let event_loop = get_running_loop()?;
        event_loop.call_soon(move || count.set(count.get() + 1));
        sleep(delay).await?;
        seen.set(counter.get());
        Ok(())
    })?;
    Ok(ran.get())
}
