//! Timers: the callbacks of `call_later` and `call_at`, and tasks that sleep.
//!
//! Each of them has a timer in the loop's heap (step 04). A tick can sleep until the nearest timer
//! is due and then moves the due timers into the ready queue: see `tick.rs`. A sleep needs
//! no allocation of its own. A table at the head of `mod.rs` shows the event that ends each kind of
//! wait, and the tick in which the task continues.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use step04_timers::{Time, TimerId};
use step06_tasks::{Handle, Result, check_cancelled, yield_now};

use super::{EventLoop, get_running_loop};

impl EventLoop {
    /// Schedules a callback for the end of `delay`. The callback runs in the first tick that finds
    /// its timer due, never before the delay is over.
    ///
    /// # Panics
    ///
    /// Panics if the loop is closed.
    #[track_caller]
    pub fn call_later(&self, delay: Duration, callback: impl FnOnce() + 'static) -> TimerHandle {
        self.call_at(self.time() + delay, callback)
    }

    // ANCHOR: call_at
    /// Schedules a callback for a time on the loop's clock. Callbacks for the same time run in the
    /// order in which they were scheduled, which asyncio doesn't promise.
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
    // ANCHOR_END: call_at

    /// Cancels a timer and sweeps the heap if that's worthwhile, as a tick does.
    fn cancel_timer(&self, id: TimerId) {
        let mut timers = self.core.timers.borrow_mut();
        let timer = timers.cancel(id);
        timers.sweep();
        drop(timers);
        // When the heap is no longer borrowed: the timer's destructor can run any code.
        drop(timer);
    }
}

/// A handle to a callback that's scheduled for a time; asyncio's `TimerHandle`.
#[derive(Debug, Clone)]
pub struct TimerHandle {
    handle: Handle,
    when: Time,
    id: TimerId,
    event_loop: EventLoop,
}

impl TimerHandle {
    /// Cancels the callback, even if it's due and already in the ready queue.
    pub fn cancel(&self) {
        // The first call is for a timer that's already in the ready queue, the second for a timer
        // that isn't due yet.
        self.handle.cancel();
        self.event_loop.cancel_timer(self.id);
    }

    /// Returns true if [`cancel`](TimerHandle::cancel) was called.
    pub fn cancelled(&self) -> bool {
        self.handle.cancelled()
    }

    /// Returns the time at which the callback is due, on the loop's clock.
    pub fn when(&self) -> Time {
        self.when
    }
}

// ANCHOR: sleep
/// Lets the task wait for `delay`, never for less, while other tasks run. A delay of zero lets
/// everything that's ready run once, like [`yield_now`]. No matter how the sleep ends, it leaves no
/// timer.
///
/// # Errors
///
/// Fails with `Cancelled` if the task is cancelled, even in the very tick in which the delay is
/// over. Also fails if no loop is running in this thread, unless `delay` is zero.
pub async fn sleep(delay: Duration) -> Result<()> {
    if delay.is_zero() {
        return yield_now().await;
    }
    let event_loop = get_running_loop()?;
    let when = event_loop.time() + delay;
    alarm(event_loop, when).await
}
// ANCHOR_END: sleep

// ANCHOR: alarm
/// Makes the task that polls this future wait until `when`, on the loop's clock.
///
/// - The wait is never over before `when`, however often it's polled meanwhile. The loop finds the
///   timer due in one tick, and the task continues in the next tick (`sleeps_of_many_tasks`).
/// - Even the shortest wait lets other tasks run: the first poll never finds the wait over
///   (`sleeps_by_themselves`).
/// - If several tasks poll the wait, the loop wakes the last to poll it (`sleeps_of_many_tasks`).
///   Cloning or dropping the waker of another task can run any code, which may use the loop
///   (`sleeps_by_themselves`).
/// - The wait fails with `Cancelled` if the task is asked to end before the wait begins, during the
///   wait, or in the very tick in which the wait is over (`sleeps_by_themselves`).
/// - No matter how the wait ends, it leaves no timer, even if it's dropped in the middle
///   (`sleeps_of_many_tasks`), or if it's polled or dropped after `when` but before a tick has
///   found the timer (`sleeps_by_themselves`).
///
/// Free: whether a later poll finds the wait over if `when` has passed but no tick has found the
/// timer.
async fn alarm(event_loop: EventLoop, when: Time) -> Result<()> {
    use std::mem;

    use step06_tasks::{LocalWaker, Runnable};

    /// A future that owns the timer and is ready once the timer has fired.
    struct Alarm {
        event_loop: EventLoop,
        when: Time,
        /// `None` until the first poll, which supplies the waker.
        timer: Option<TimerId>,
    }

    impl Alarm {
        /// Returns true if the timer has fired. Comparing two times is enough, since timers fire in
        /// the order of their deadlines. Looking the timer up in the heap would take longer the
        /// more timers are left.
        fn has_fired(&self) -> bool {
            self.when <= self.event_loop.core.timers_queued_until.get()
        }
    }

    impl Future for Alarm {
        type Output = Result<()>;

        fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
            check_cancelled()?;
            let alarm = &mut *self;
            if alarm.has_fired() {
                return Poll::Ready(Ok(()));
            }
            let waker = Runnable::Wake(LocalWaker::of(context));
            let mut timers = alarm.event_loop.core.timers.borrow_mut();
            let Some(timer) = alarm.timer else {
                alarm.timer = Some(timers.push(alarm.when, waker));
                return Poll::Pending;
            };
            let Some(runnable) = timers.get_mut(timer) else {
                // It hasn't fired and is gone all the same: the loop was closed, which drops its
                // timers.
                return Poll::Ready(Ok(()));
            };
            let before = mem::replace(runnable, waker);
            // The heap isn't borrowed any more: the waker of another task can run any code.
            drop(timers);
            drop(before);
            Poll::Pending
        }
    }

    impl Drop for Alarm {
        fn drop(&mut self) {
            if let Some(timer) = self.timer
                && !self.has_fired()
            {
                self.event_loop.cancel_timer(timer);
            }
        }
    }

    Alarm { event_loop, when, timer: None }.await
}
// ANCHOR_END: alarm
