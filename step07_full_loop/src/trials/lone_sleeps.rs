//! A trial of single sleeps: their limits, their tick, and what runs meanwhile.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use scene::{Program, Transcript, say, trial};
use step07_full_loop::{EventLoop, VirtualClock, create_task, get_running_loop, sleep};

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
