//! Waiting for a time: a task that sleeps, or a callback with a timer. The heap holds one or the other.

use std::cell::Cell;
use std::future::poll_fn;
use std::mem;
use std::task::{Context, Poll};
use std::time::Duration;

use step04_timers::{Time, TimerId};
use step06_tasks::{Handle, LocalWaker, Result, check_cancelled, yield_now};

use crate::event_loop::{EventLoop, get_running_loop};

// ANCHOR: sleep
/// Lets the task wait for `delay`, never for less, while other tasks run. With zero, it needs no
/// timer and only lets the others have their turn, once, like [`yield_now`].
///
/// If the task is cancelled, before the sleep begins or later, it fails with `Cancelled`, even if its
/// time comes in the same tick. Its timer goes with it, as it does if the sleep is dropped before its
/// time. A sleep that was polled by one task can be awaited by another. Fails if no loop runs in this
/// thread. (Not checked: whether a sleep of zero fails then, too.)
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

/// What the heap of timers holds.
pub(crate) enum Timer {
    /// A callback, as `call_at` takes it.
    Callback(Handle),
    /// A sleeping task: it needs no callback, no future and no allocation.
    Wake(LocalWaker),
}

impl EventLoop {
    /// Adds a timer, and sweeps if that's worth it: a loop that's always busy never asks the heap how
    /// long it can sleep, which sweeps as well, and timers that have fired would leave their slots.
    pub(crate) fn add_timer(&self, when: Time, timer: Timer) -> TimerId {
        let mut timers = self.core.timers.borrow_mut();
        timers.sweep();
        timers.push(when, timer)
    }

    /// Cancels a timer, and sweeps, too.
    pub(crate) fn cancel_timer(&self, id: TimerId) {
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
    pub(crate) fn new(handle: Handle, when: Time, id: TimerId, event_loop: EventLoop) -> Self {
        TimerHandle { handle, when, id, event_loop }
    }

    /// Cancels the callback, whether it isn't due yet or is in the ready queue already.
    pub fn cancel(&self) {
        // The first is for a timer that is ready to run already, the second for one that isn't due.
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
