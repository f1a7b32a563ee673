//! Cancelling: how a request to end reaches the place where a task waits.
//!
//! A task that's asked to end isn't killed. The *leaf* that it awaits yields `Err(Cancelled)`, and
//! the coroutine can clean up while `?` carries the error out. A coroutine waits for other futures,
//! whereas a leaf, at the bottom, waits for a result, a time or a descriptor. A leaf that's polled
//! has two duties: to deliver a cancellation, if there's one, and to leave the waker where the
//! awaited event will find it. A request goes through these states:
//!
//! | state of the request | where it's noted | next |
//! | --- | --- | --- |
//! | *passed on* to the target of the task's wait | `passed_to` | delivered if the target ends cancelled; over if the target ends in another way |
//! | *pending*, for the next step | `must_cancel`, and `ended_a_wait` if the request has ended a wait | that step delivers the request; if the task is running and then waits for a target that can be cancelled, the request is passed on |
//! | *being delivered* in this step | `delivering` | the first leaf that's polled consumes the request; if no leaf is polled, the request is kept for the next step |
//!
//! If the coroutine ends while a request is pending or being delivered, the task ends cancelled,
//! unless the coroutine has failed with another error.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use crate::Error;
use crate::any_task::{Awaited, Control};

// ANCHOR: cancel
/// Asks a task to end; asyncio's `Task.cancel`.
///
/// The request goes to the target of the task's wait. If the target is another
/// task, the request goes on to that task's target, and so on. Each task on the way
/// counts the request and gets its message. The future at the end of the chain is
/// cancelled, which wakes the innermost task. So inner tasks clean up before outer ones.
/// - If the task is done, the call returns false and changes nothing
///   (`what_cancel_does`, `cancelled_while_they_wait`).
/// - If a task waits for nothing that can be cancelled, perhaps because it hasn't
///   begun or is running, its next step delivers the error
///   (`cancelled_while_they_wait`).
/// - If a task was already asked to end, the new request is treated like the first.
///   The coroutine gets one error for all requests that arrive before its next
///   step (`cancelled_while_they_wait`).
/// - A chain can have tens of thousands of tasks, so the stack can't hold a frame
///   for each (`chains_of_tasks`).
/// - If tasks wait for each other in a circle, each of them is asked, even if the request
///   comes from a task outside the circle. The first task that the request reaches
///   again gets the error at its next step (`circles_of_tasks`).
///
/// Free: how many times a task in such a circle counts the request, and what the call returns if
/// the future at the end of the chain can't be cancelled any more.
pub(crate) fn cancel(task: Rc<dyn Awaited>, message: Option<&Arc<str>>) -> bool {
    if task.done() {
        return false;
    }
    let walk = next_walk();
    let mut asked = task;
    while let Some(control) = asked.as_task() {
        control.requests.set(control.requests.get().saturating_add(1));
        control.set_cancel_message(message.cloned());
        let has_been_here = control.walk.replace(walk) == walk;
        let inner = if has_been_here { None } else { control.pass_on() };
        let Some(inner) = inner else {
            control.cancel_at_next_step();
            return true;
        };
        asked = inner;
    }
    asked.cancel(message.cloned())
}
// ANCHOR_END: cancel

thread_local! {
    /// The number of walks so far. It has 64 bits so that no number repeats: a mark lasts as long
    /// as its task, and a walk with a repeated number could mistake an old mark for its own.
    static WALKS: Cell<u64> = const { Cell::new(0) };
}

// ANCHOR: next_walk
/// Returns the number of a new walk along a chain of tasks. The number is never 0, which is the
/// mark of a task that no walk has visited.
fn next_walk() -> u64 {
    WALKS.set(WALKS.get() + 1);
    WALKS.get()
}
// ANCHOR_END: next_walk

impl Control {
    /// Takes one request back and returns how many are left; asyncio's `uncancel`. As in CPython
    /// since 3.13, taking back the last request drops a pending cancellation, unless that
    /// cancellation has ended a wait. A cancellation that the running step should deliver is
    /// dropped, too, if no leaf has consumed it.
    pub(crate) fn uncancel(&self) -> u32 {
        let requests = self.requests.get().saturating_sub(1);
        self.requests.set(requests);
        if requests == 0 {
            self.must_cancel.set(self.ended_a_wait.get());
            self.delivering.set(false);
        }
        requests
    }

    // ANCHOR: pass_on
    /// Returns the target of the task's wait, for the caller to cancel, and notes that the request
    /// is passed on to the target. Returns `None` if the task is running, or if it waits for
    /// nothing that can be cancelled.
    pub(crate) fn pass_on(&self) -> Option<Rc<dyn Awaited>> {
        if self.is_current() {
            return None;
        }
        let inner = self.waits_for().filter(|inner| inner.can_be_cancelled())?;
        self.set_passed_to(Some(Rc::clone(&inner)));
        Some(inner)
    }
    // ANCHOR_END: pass_on

    // ANCHOR: cancel_at_next_step
    /// Makes the next step deliver the error. A task that cancels itself is running and needs no
    /// wake-up: when its step is over, `deliver` finds the request.
    pub(crate) fn cancel_at_next_step(&self) {
        self.must_cancel.set(true);
        if !self.is_current() {
            self.wake_for_delivery();
        }
    }
    // ANCHOR_END: cancel_at_next_step

    // ANCHOR: wake_for_delivery
    /// Wakes the task, unless its target is about to end, which will wake the task anyway. If the
    /// task isn't queued yet, the cancellation ends its wait.
    pub(crate) fn wake_for_delivery(&self) {
        if self.waits_for().is_some_and(|awaited| awaited.is_about_to_end()) {
            return;
        }
        if !self.queued.get() {
            self.ended_a_wait.set(true);
        }
        self.queue.wake(self.id);
    }
    // ANCHOR_END: wake_for_delivery

    /// Notes the target that the request was passed on to, or `None` when the request is over.
    #[inline]
    pub(crate) fn set_passed_to(&self, target: Option<Rc<dyn Awaited>>) {
        if let Some(before) = self.passed_to.replace(target) {
            // This can be the last handle, and the target's destructor can run any code.
            self.queue.discard(before);
        }
    }

    // ANCHOR: cancel_message
    /// Returns the message that was stored last, if it isn't `None`.
    pub(crate) fn cancel_message(&self) -> Option<Arc<str>> {
        let message = self.message.take();
        self.message.set(message.clone());
        message.map(|message| *message)
    }
    // ANCHOR_END: cancel_message

    /// Stores the message of a request, unless an earlier request has ended the wait: in this case
    /// the earlier request's message is kept, as in asyncio.
    pub(crate) fn set_cancel_message(&self, message: Option<Arc<str>>) {
        if !self.ended_a_wait.get() {
            self.message.set(message.map(Box::new));
        }
    }

    /// Consumes the cancellation that is pending or being delivered, if any.
    #[inline]
    pub(crate) fn take_cancellation(&self) -> Option<Error> {
        let is_pending = self.must_cancel.take() | self.delivering.take();
        is_pending.then(|| Error::Cancelled(self.cancel_message()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadyQueue;

    /// Even after 2^32 walks, the next walk has a number that no task was marked with.
    #[test]
    fn a_walk_finds_its_way_however_many_there_have_been() -> std::io::Result<()> {
        WALKS.set(u64::from(u32::MAX));
        let queue = ReadyQueue::new()?;
        let inner = queue.create_future::<()>();
        let outer = queue.create_task(inner.clone());
        queue.run_until_idle()?;
        assert!(outer.cancel());
        assert!(inner.cancelled(), "the request is passed on to what the task waits for");
        Ok(())
    }
}
