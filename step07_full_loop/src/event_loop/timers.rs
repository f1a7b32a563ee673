//! Timers: what the loop's heap of them holds, and the handle of a callback that waits for its time.

use scene::moments::are_noted;
use step04_timers::{Time, TimerId};
use step06_tasks::{Handle, LocalWaker};

use super::EventLoop;

/// What the heap of timers holds.
pub(crate) enum Timer {
    /// A callback, as `call_at` takes it.
    Callback(Handle),
    /// A sleeping task: it needs no callback, no future and no allocation.
    Wake(LocalWaker),
}

impl EventLoop {
    /// Adds a timer, and sweeps if that's worth it. The heap also sweeps when it's asked how long the loop
    /// can sleep, but a loop that's always busy never asks, and timers that have fired leave their slots.
    pub(crate) fn add_timer(&self, when: Time, timer: Timer) -> TimerId {
        if are_noted() {
            return self.add_noted_timer(when, timer);
        }
        let mut timers = self.core.timers.borrow_mut();
        timers.sweep();
        timers.push(when, timer)
    }

    /// Cancels a timer, and sweeps, too.
    pub(crate) fn cancel_timer(&self, id: TimerId) {
        if are_noted() {
            self.note_cancelled_timer(id);
        }
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
        // The first call is for a timer that's in the ready queue already, the second for a timer that
        // isn't due yet.
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
