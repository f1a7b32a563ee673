//! What waits for its time: callbacks of `call_later` and `call_at`, and tasks that sleep.
//!
//! All of them are in the loop's heap of timers (step 04). A tick sleeps until the nearest is due,
//! and moves what's due into the ready queue: see `tick.rs`. A sleep needs no callback, no future
//! and no allocation: its timer is the wake-up of its task. The head of `mod.rs` has a table of how
//! each kind of wait ends, and in which tick the task goes on.

use std::cell::Cell;
use std::future::poll_fn;
use std::mem;
use std::task::{Context, Poll};
use std::time::Duration;

use step04_timers::{Time, TimerId};
use step06_tasks::{Handle, LocalWaker, Result, Runnable, check_cancelled, yield_now};

use super::{EventLoop, get_running_loop};

impl EventLoop {
    /// Schedules a callback for when `delay` is over: never before, and as soon after as the loop
    /// gets to it.
    ///
    /// # Panics
    ///
    /// Panics if the loop is closed.
    #[track_caller]
    pub fn call_later(&self, delay: Duration, callback: impl FnOnce() + 'static) -> TimerHandle {
        self.call_at(self.time() + delay, callback)
    }

    /// Schedules a callback for a moment of the loop's time. Equal moments keep their order, which
    /// asyncio does not promise.
    ///
    /// # Panics
    ///
    /// Panics if the loop is closed.
    #[track_caller]
    pub fn call_at(&self, when: Time, callback: impl FnOnce() + 'static) -> TimerHandle {
        self.assert_open_to("call_at");
        let handle = Handle::once(callback);
        let id = self.core.timers.borrow_mut().push(when, handle.clone().into());
        TimerHandle { handle, when, id, event_loop: self.clone() }
    }

    /// Cancels a timer, and sweeps if that's worth it, as a tick does.
    fn cancel_timer(&self, id: TimerId) {
        let mut timers = self.core.timers.borrow_mut();
        let timer = timers.cancel(id);
        timers.sweep();
        drop(timers);
        // When the heap isn't borrowed any more: it may hold anything.
        drop(timer);
    }
}

/// A callback that waits for its time; asyncio's `TimerHandle`.
#[derive(Debug, Clone)]
pub struct TimerHandle {
    handle: Handle,
    when: Time,
    id: TimerId,
    event_loop: EventLoop,
}

impl TimerHandle {
    /// Cancels the callback, whether it isn't due yet or is in the ready queue already.
    pub fn cancel(&self) {
        // The first call is for a timer that's in the ready queue already, the second for a timer
        // that isn't due yet.
        self.handle.cancel();
        self.event_loop.cancel_timer(self.id);
    }

    /// Returns true if [`cancel`](TimerHandle::cancel) was called.
    pub fn cancelled(&self) -> bool {
        self.handle.cancelled()
    }

    /// Returns the time at which it's due, on the loop's clock.
    pub fn when(&self) -> Time {
        self.when
    }
}

// ANCHOR: sleep
/// Lets the task wait for `delay`, never for less, while other tasks run. However it ends, it
/// leaves no timer.
///
/// - A delay of zero needs no timer, and lets what's ready run once, like [`yield_now`]
///   (`sleeps_of_many_tasks`).
/// - A cancellation counts if it comes before the sleep begins, and also if it comes in the very
///   tick in which the time is over (`sleeps_by_themselves`).
/// - A sleep that's dropped before its time takes its timer with it (`sleeps_of_many_tasks`).
/// - If another task polled the sleep before, the task that polls it now is the one to wake
///   (`sleeps_of_many_tasks`).
/// - Without a loop in this thread, it fails (`sleeps_by_themselves`).
///
/// Free: whether a sleep of zero fails without a loop, too.
///
/// # Errors
///
/// Fails with `Cancelled` if the task is cancelled. Without a loop, it fails as the list says.
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
        let waker = Runnable::Wake(LocalWaker::of(context));
        let mut timers = self.event_loop.core.timers.borrow_mut();
        let Some(id) = self.timer.get() else {
            self.timer.set(Some(timers.push(self.when, waker)));
            return Poll::Pending;
        };
        let Some(timer) = timers.get_mut(id) else {
            // It hasn't fired, and is gone all the same: the loop was closed, which drops its
            // timers.
            return Poll::Ready(());
        };
        let before = mem::replace(timer, waker);
        // The heap isn't borrowed any more: the waker of another task can be anybody's code.
        drop(timers);
        drop(before);
        Poll::Pending
    }

    /// A comparison is enough, since timers fire in the order of their deadlines. Looking for a
    /// timer that's gone would take longer, if many others are left.
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
