//! A queue as other threads use it: they hand it callbacks and wake its tasks.
//!
//! Futures, tasks and callbacks stay on the loop's thread and need no lock. Other threads have a
//! [`QueueHandle`], which sends messages through the inbox of step 05. To a loop, the queue is a
//! descriptor: the loop registers it for reading, sleeps, and takes the messages when the
//! descriptor is readable.
//!
//! The loop takes messages when a wait has reported them ([`take_remote`]). If the loop's own
//! thread queues an entry earlier, the queue itself takes the messages first: `push` calls
//! `take_ahead`, which leaves the byte in the pipe and notes in `has_unseen_wakeup` that the loop
//! hasn't seen that byte yet.
//!
//! Threads can send callbacks faster than the loop runs them. If each tick took all messages, each
//! tick would last longer than the previous tick, and a one-millisecond timer would fire seconds
//! late. So `take_remote` begins a new *batch*, which limits the messages that are queued before
//! the next batch. The other messages wait in the backlog, and the queue wakes the loop for them:
//! while a message waits anywhere, the loop's next wait returns at once. tokio checks for events
//! and timers after every 61 tasks; asyncio has no limit.
//!
//! [`take_remote`]: ReadyQueue::take_remote

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd};
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use step05_selfpipe::{EventFd, LoopWaker, Sender};

use super::ReadyQueue;
use super::current_queue::QueueId;
use super::wakers::TaskWaker;
use crate::{Handle, Runnable};

/// The maximum number of messages that are queued in one tick.
pub(super) const BATCH: usize = 1024;

/// The descriptor that [`ReadyQueue::take_remote`] drains first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drain {
    /// The pipe of the inbox, which has become readable.
    Pipe,
    /// Nothing, since the queue's [`counter`](ReadyQueue::counter) has woken the loop. The counter
    /// is registered edge-triggered, and the wait has already consumed the edge.
    Nothing,
}

/// A message to a queue. To wake a task, a thread sends the task's waker.
pub(crate) enum Message {
    Wake(Arc<TaskWaker>),
    /// A callback, with the place in the program that handed it over.
    Call(Box<dyn FnOnce() + Send>, &'static Location<'static>),
}

/// A handle to a queue for other threads: clone it, send it, use it from anywhere.
#[derive(Clone)]
pub struct QueueHandle {
    /// Each task's waker holds a handle, so a handle is small, and cloning it increases only one
    /// reference count.
    address: Arc<Address>,
}

struct Address {
    id: QueueId,
    sender: Sender<Message>,
    is_closed: AtomicBool,
}

impl QueueHandle {
    pub(crate) fn new(id: QueueId, sender: Sender<Message>) -> Self {
        QueueHandle { address: Arc::new(Address { id, sender, is_closed: AtomicBool::new(false) }) }
    }

    /// Makes all handles drop later messages.
    pub(super) fn close(&self) {
        // Release and Acquire: a thread whose message is dropped sees all that preceded the close.
        self.address.is_closed.store(true, Ordering::Release);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.address.is_closed.load(Ordering::Acquire)
    }

    pub(crate) fn id(&self) -> QueueId {
        self.address.id
    }

    /// Hands a callback to the loop's thread and wakes the loop; asyncio's `call_soon_threadsafe`.
    ///
    /// Callbacks from one thread run in the order in which the thread handed them over, as in
    /// asyncio. Callbacks from two threads keep their order, too, if one handover happened before
    /// the other. If the queue was closed or dropped, the callback is dropped.
    #[track_caller]
    pub fn call_soon_threadsafe(&self, callback: impl FnOnce() + Send + 'static) {
        self.send(Message::Call(Box::new(callback), Location::caller()));
    }

    pub(crate) fn send(&self, message: Message) {
        // A queue that is gone can neither wake a task nor run a callback. Neither can a closed
        // queue, which a future or a task can keep alive and which takes no message from its inbox
        // any more.
        if !self.is_closed() {
            let _ = self.address.sender.send(message);
        }
    }
}

impl fmt::Debug for QueueHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueueHandle").finish_non_exhaustive()
    }
}

impl ReadyQueue {
    /// Returns a handle for other threads.
    pub fn handle(&self) -> QueueHandle {
        self.shared.handle.clone()
    }

    /// Returns a waker that makes the queue readable without sending a message. A signal handler
    /// needs such a waker, because it mustn't lock the inbox.
    pub fn waker(&self) -> LoopWaker {
        self.shared.inbox.waker()
    }

    /// Returns the eventfd of a queue that was made [`with_eventfd`](ReadyQueue::with_eventfd). The
    /// loop registers the eventfd edge-triggered, in addition to the queue itself.
    pub fn counter(&self) -> Option<&EventFd> {
        self.shared.counter.as_ref()
    }

    /// Moves messages from other threads to the end of the queue, one batch at most. Call
    /// `take_remote` with [`Drain::Pipe`] when the queue's descriptor is readable: the function
    /// drains the descriptor first and then takes the messages, as step 05 does, so no message is
    /// overlooked. If messages have to wait for the next batch, the queue wakes the loop again.
    ///
    /// # Errors
    ///
    /// Fails if the inbox can't be drained, which can happen only if other code has closed the
    /// inbox's descriptor.
    pub fn take_remote(&self, drain: Drain) -> io::Result<()> {
        let mut messages = self.shared.messages.take();
        match drain {
            Drain::Pipe => self.shared.inbox.take(&mut messages)?,
            Drain::Nothing => self.shared.inbox.take_ahead(&mut messages),
        }
        self.shared.room.set(BATCH);
        self.queue_batch(messages);
        let is_rest = !self.shared.backlog.borrow().is_empty();
        self.shared.has_unseen_wakeup.set(is_rest);
        if is_rest {
            match &self.shared.counter {
                Some(counter) => counter.wake(),
                None => self.waker().wake(),
            }
        }
        Ok(())
    }

    /// Queues the backlog and then these messages, as many as the batch has room for: a callback
    /// for each call, and a step of the task for each wake-up.
    fn queue_batch(&self, mut messages: Vec<Message>) {
        let (room, mut backlog) = (self.shared.room.get(), self.shared.backlog.borrow_mut());
        if !backlog.is_empty() || messages.len() > room {
            if backlog.is_empty() {
                // Moves the whole list, since copying a million messages would delay the tick.
                *backlog = VecDeque::from(mem::take(&mut messages));
            } else {
                backlog.extend(messages.drain(..));
            }
            let batch = room.min(backlog.len());
            messages.extend(backlog.drain(..batch));
            give_back(&mut messages, &mut backlog);
        }
        drop(backlog);
        // Until this batch is queued, there's no room for messages sent meanwhile: they come later.
        self.shared.room.set(0);
        let left = room - messages.len();
        for message in messages.drain(..) {
            match message {
                Message::Call(callback, created_at) => {
                    self.push(Runnable::Callback(Handle::once_at(created_at, callback)));
                }
                Message::Wake(waker) => {
                    // From here on, the next wake-up sends another message.
                    waker.has_arrived();
                    self.wake(waker.task());
                }
            }
        }
        self.shared.messages.replace(messages);
        self.shared.room.set(left);
    }

    /// Returns the number of batches that it takes to queue all messages that are still waiting.
    pub fn batches_left(&self) -> usize {
        (self.shared.backlog.borrow().len() + self.shared.inbox.len()).div_ceil(BATCH)
    }

    /// Takes messages before the loop sees their wake-up and queues as many as the batch has room
    /// for. The byte stays in the pipe, because a signal handler may have written it and the loop
    /// checks for signals when a byte wakes it.
    #[cold]
    pub(super) fn take_ahead(&self) {
        self.shared.has_unseen_wakeup.set(true);
        if self.shared.room.get() > 0 {
            let mut messages = self.shared.messages.take();
            self.shared.inbox.take_ahead(&mut messages);
            self.queue_batch(messages);
        }
    }
}

/// Releases the memory left over from a flood of messages, except room for a batch.
fn give_back(messages: &mut Vec<Message>, backlog: &mut VecDeque<Message>) {
    const KEPT: usize = 16 * BATCH;
    if messages.capacity() > KEPT {
        messages.shrink_to(BATCH);
    }
    if backlog.is_empty() && backlog.capacity() > KEPT {
        backlog.shrink_to(BATCH);
    }
}

impl AsFd for ReadyQueue {
    /// Returns the inbox's descriptor, which is readable after a [`waker`](ReadyQueue::waker) has
    /// woken the queue or another thread has sent a message. Messages to a queue with a
    /// [`counter`](ReadyQueue::counter) make the counter readable instead.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.shared.inbox.as_fd()
    }
}
