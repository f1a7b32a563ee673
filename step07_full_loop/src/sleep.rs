//! A task that sleeps.

use std::cell::Cell;
use std::future::poll_fn;
use std::mem;
use std::task::{Context, Poll};
use std::time::Duration;

use step04_timers::{Time, TimerId};
use step06_tasks::{LocalWaker, Result, check_cancelled, yield_now};

use crate::event_loop::{EventLoop, Timer, get_running_loop};

// ANCHOR: sleep
/// Lets the task wait for `delay`, never for less, while other tasks run. Fails with `Cancelled` if
/// the task is cancelled. However it ends, it leaves no timer.
///
/// - A delay of zero needs no timer, and lets what's ready run once, like [`yield_now`]
///   (`sleeps_of_many_tasks`).
/// - A cancellation counts if it comes before the sleep begins, and also if it comes in the very tick
///   in which the time is over (`sleeps_by_themselves`).
/// - A sleep that's dropped before its time takes its timer with it (`sleeps_of_many_tasks`).
/// - If another task polled the sleep before, the task that polls it now is the one to wake (`sleeps_of_many_tasks`).
/// - Without a loop in this thread, it fails (`sleeps_by_themselves`).
///
/// (Not checked: whether a sleep of zero fails without a loop, too.)
pub async fn sleep(delay: Duration) -> Result<()> {
    if delay.is_zero() {
        return yield_now().await;
    }
    let event_loop = get_running_loop()?;
    let alarm = Alarm::set(event_loop, delay);
    poll_fn(move |context| {
        check_cancelled()?;
        alarm.poll(context).map(Ok)
    })
    .await
}
// ANCHOR_END: sleep

/// A timer that wakes the task that polls it. It's cancelled when it's dropped.
struct Alarm {
    event_loop: EventLoop,
    when: Time,
    /// `None` until the first poll, which brings the waker.
    timer: Cell<Option<TimerId>>,
}

impl Alarm {
    fn set(event_loop: EventLoop, delay: Duration) -> Self {
        let when = event_loop.time() + delay;
        Alarm { event_loop, when, timer: Cell::default() }
    }

    /// Returns `Ready` once the timer has fired.
    fn poll(&self, context: &Context<'_>) -> Poll<()> {
        if self.has_fired() {
            return Poll::Ready(());
        }
        let waker = Timer::Wake(LocalWaker::of(context));
        let Some(id) = self.timer.get() else {
            self.timer.set(Some(self.event_loop.add_timer(self.when, waker)));
            return Poll::Pending;
        };
        let mut timers = self.event_loop.core.timers.borrow_mut();
        let Some(timer) = timers.get_mut(id) else {
            return Poll::Ready(());
        };
        let before = mem::replace(timer, waker);
        // The heap isn't borrowed any more: the waker of another task can be anybody's code.
        drop(timers);
        drop(before);
        Poll::Pending
    }

    /// A comparison is enough, since timers fire in the order of their deadlines. Looking for a timer
    /// that's gone would take longer, if many others are left.
    fn has_fired(&self) -> bool {
        self.when <= self.event_loop.core.timers_queued_until.get()
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if let Some(timer) = self.timer.get()
            && !self.has_fired()
        {
            self.event_loop.cancel_timer(timer);
        }
    }
}
