//! The queue's end of its inbox: what other threads send, and how a loop finds out.
//!
//! The queue is a descriptor to its loop: the loop registers it for reading, sleeps, and takes when
//! it is readable.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use step05_selfpipe::LoopWaker;

use crate::queue_handle::{Message, QueueHandle, QueueId};
use crate::ready_queue::Runnable;
use crate::{Handle, ReadyQueue};

impl ReadyQueue {
    /// Returns the queue as other threads see it.
    pub fn handle(&self) -> QueueHandle {
        self.shared.handle.clone()
    }

    /// Returns what makes the queue readable without sending it anything: all that a signal handler
    /// may do.
    pub fn waker(&self) -> LoopWaker {
        self.shared.inbox.waker()
    }

    /// Takes what other threads have sent into the queue. Call it when the queue's descriptor is
    /// readable: it drains first and takes second, as step 05 does, so nothing stays unseen.
    ///
    /// Fails if the inbox can't be drained, which takes a descriptor that was closed behind its back.
    pub fn take_remote(&self) -> io::Result<()> {
        let mut messages = self.shared.messages.take();
        self.shared.inbox.take(&mut messages)?;
        self.queue_messages(messages);
        Ok(())
    }

    /// Takes what has been sent, without draining: the byte may also be a signal's, and the loop looks
    /// for signals when a byte wakes it.
    pub(crate) fn take_ahead(&self) {
        let mut messages = self.shared.messages.take();
        self.shared.inbox.take_ahead(&mut messages);
        self.queue_messages(messages);
    }

    fn queue_messages(&self, mut messages: Vec<Message>) {
        let runnables = messages.drain(..).map(|message| match message {
            Message::Wake(id) => Runnable::Step(id),
            Message::Call(callback) => Runnable::Callback(Handle::once(callback)),
        });
        self.shared.ready.borrow_mut().extend(runnables);
        self.shared.messages.replace(messages);
    }

    pub(crate) fn id(&self) -> QueueId {
        self.shared.handle.id()
    }
}

impl AsFd for ReadyQueue {
    /// Readable when another thread has sent something, or has only woken the queue.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.shared.inbox.as_fd()
    }
}
