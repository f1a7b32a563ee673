//! The queue's end of its inbox: taking what other threads send, and waking the loop for it.
//!
//! A loop sees the queue as a descriptor: it registers the queue for reading, sleeps, and takes
//! when the queue is readable.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use step05_selfpipe::{EventFd, LoopWaker};

use crate::queue_handle::{Message, QueueHandle, QueueId};
use crate::ready_queue::Runnable;
use crate::{Handle, ReadyQueue};

impl ReadyQueue {
    /// Returns a handle for other threads.
    pub fn handle(&self) -> QueueHandle {
        self.shared.handle.clone()
    }

    /// Returns a waker, which makes the queue readable without sending anything: a signal handler
    /// can do no more.
    pub fn waker(&self) -> LoopWaker {
        self.shared.inbox.waker()
    }

    /// Returns what the loop registers besides the queue itself, edge-triggered, if the queue was made
    /// [`with_eventfd`](ReadyQueue::with_eventfd).
    pub fn counter(&self) -> Option<&EventFd> {
        self.shared.counter.as_ref()
    }

    /// Returns true if a wait would return because something was sent, even if that
    /// has been taken since. It makes no system call, and can't know of a byte that was sent alone, by a
    /// [`waker`](ReadyQueue::waker).
    #[inline]
    pub fn has_been_woken(&self) -> bool {
        !self.shared.inbox.is_empty() || self.shared.has_unseen_wakeup.get()
    }

    /// Takes what other threads have sent into the queue. Call it when the queue's descriptor is
    /// readable: it drains first and takes second, as step 05 does, so nothing stays unseen.
    ///
    /// Fails if the inbox can't be drained, which can only happen if other code has closed its
    /// descriptor.
    pub fn take_remote(&self) -> io::Result<()> {
        let mut messages = self.shared.messages.take();
        self.shared.inbox.take(&mut messages)?;
        self.shared.has_unseen_wakeup.set(false);
        self.queue_if_any(messages);
        Ok(())
    }

    /// Takes what other threads have sent into the queue, when the queue's
    /// [`counter`](ReadyQueue::counter) has woken the loop. The counter isn't read: it's registered
    /// edge-triggered, and the wait has already consumed the edge.
    pub fn take_woken(&self) {
        self.take_ahead();
        self.shared.has_unseen_wakeup.set(false);
    }

    /// Takes what has been sent, without draining: the byte might also be a signal's, and the loop
    /// looks for signals when a byte wakes it.
    pub(crate) fn take_ahead(&self) {
        let mut messages = self.shared.messages.take();
        self.shared.inbox.take_ahead(&mut messages);
        if !messages.is_empty() {
            self.shared.has_unseen_wakeup.set(true);
        }
        self.queue_if_any(messages);
    }

    pub(crate) fn queue_if_any(&self, messages: Vec<Message>) {
        if messages.is_empty() {
            // The byte was a signal's, or what it was written for has been taken ahead.
            self.shared.messages.replace(messages);
        } else {
            self.queue_messages(messages);
        }
    }

    // ANCHOR: queue_messages
    /// Puts what other threads have sent into the queue, in its order: a callback as a new
    /// [`Handle`], and a wake-up as a step of its task, unless that's queued already or has ended.
    ///
    /// Afterwards the list is empty and has kept its memory; the next take uses it again. A wake-up
    /// that another thread sends meanwhile is either one of these, or a message of its own.
    fn queue_messages(&self, mut messages: Vec<Message>) {
        for message in messages.drain(..) {
            match message {
                Message::Call(callback) => {
                    self.push_last(Runnable::Callback(Handle::once(callback)));
                }
                Message::Wake(waker) => {
                    waker.has_arrived();
                    self.push_step(waker.task());
                }
            }
        }
        self.shared.messages.replace(messages);
    }
    // ANCHOR_END: queue_messages

    pub(crate) fn id(&self) -> QueueId {
        self.shared.id
    }
}

impl AsFd for ReadyQueue {
    /// Returns the inbox's descriptor, which is readable when another thread has sent something, or
    /// has only woken the queue.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.shared.inbox.as_fd()
    }
}
