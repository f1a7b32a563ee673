//! A queue between threads: a locked list, and a self-pipe that wakes the loop. An eventfd can do
//! the self-pipe's work a little faster; see [`Sender::through`].
//!
//! A sender wakes the loop only if its value is the first in the queue: a thousand values that
//! arrive between two takes cost one byte. So both sides have to keep one rule, wherever another
//! thread interrupts them: whenever the queue isn't empty, a byte is in the pipe, or a sender is
//! about to write one, or the loop is about to look at the queue.
//!
//! If either side breaks the rule, the loop can sleep although the queue isn't empty. No later
//! sender wakes the loop, because no later value is the first. The values wait until other code,
//! such as a signal handler, writes a byte, perhaps forever: a lost wake-up.

use std::fmt;
use std::io;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::{EventFd, LoopWaker, SelfPipe};

/// The loop's end of the queue: register it for reading and take its values whenever it's readable.
/// In asyncio, `call_soon_threadsafe` appends to the loop's `_ready` and writes a byte every time.
///
/// ```
/// let inbox = step05_selfpipe::Inbox::new()?;
/// let sender = inbox.sender();
/// std::thread::spawn(move || sender.send("hello")).join().expect("the thread ends").ok();
/// let mut values = Vec::new();
/// inbox.take(&mut values)?;
/// assert_eq!(values, ["hello"]);
/// # Ok::<(), std::io::Error>(())
/// ```
// ANCHOR: loops_end
pub struct Inbox<T> {
    pipe: SelfPipe,
    queue: Arc<Queue<T>>,
}
// ANCHOR_END: loops_end

impl<T> Inbox<T> {
    /// Makes an empty inbox with a self-pipe of its own.
    ///
    /// # Errors
    ///
    /// Fails as [`SelfPipe::new`] does.
    pub fn new() -> io::Result<Self> {
        let queue = Queue { values: Mutex::default(), length: AtomicUsize::new(0) };
        Ok(Inbox { pipe: SelfPipe::new()?, queue: Arc::new(queue) })
    }

    /// Returns the senders' end of the queue, for threads that have values for the loop.
    pub fn sender(&self) -> Sender<T> {
        Sender { waker: SenderWaker::Pair(self.pipe.waker()), queue: Arc::downgrade(&self.queue) }
    }

    /// Returns a waker that sends no value, for threads and handlers that publish their data
    /// elsewhere.
    pub fn waker(&self) -> LoopWaker {
        self.pipe.waker()
    }

    /// Returns the number of values that haven't been taken.
    pub fn len(&self) -> usize {
        lock(&self.queue).len()
    }

    /// Returns true if all values have been taken. Reads one atomic and takes no lock, so a loop
    /// can call `is_empty` often.
    ///
    /// If another thread is sending at this moment, either answer can be out of date. But
    /// `is_empty` never misses a value whose `send` *happened before* the call: on this thread, or
    /// on a thread that has since been joined or has synchronised with this thread.
    pub fn is_empty(&self) -> bool {
        // Relaxed is enough. A load can't return a value older than a store that happened before
        // it, and a later zero means that the values have been taken. The lock, not this number,
        // publishes the values.
        self.queue.length.load(Ordering::Relaxed) == 0
    }

    // ANCHOR: take
    /// Empties the pipe and the queue. The queued values replace the contents of `values`, in the
    /// order in which they arrived. A value that another thread sends meanwhile is either among
    /// them or leaves the inbox readable. Once `take` has returned, the length that `is_empty`
    /// reads is up to date.
    ///
    /// `take` allocates nothing. It drops no value while the queue is locked, because a destructor
    /// is arbitrary code and might call `send`.
    ///
    /// # Errors
    ///
    /// Fails if the drain does; the queue then keeps its values.
    pub fn take(&self, values: &mut Vec<T>) -> io::Result<()> {
        values.clear();
        // A sender pushes first and wakes second. So the loop has to drain first and look second:
        // otherwise it could drain the byte of a value that it hasn't seen.
        self.pipe.drain()?;
        mem::swap(values, &mut *lock(&self.queue));
        Ok(())
    }
    // ANCHOR_END: take

    /// Appends all queued values to `values` and leaves the byte in the pipe.
    ///
    /// A loop that's awake can call `take_ahead` before it schedules work of its own, so that its
    /// own work comes after the values that arrived earlier. The byte stays in the pipe, because a
    /// signal handler might have written it. So the byte will wake the loop, perhaps needlessly.
    pub fn take_ahead(&self, values: &mut Vec<T>) {
        values.append(&mut lock(&self.queue));
    }
}

impl<T> AsFd for Inbox<T> {
    /// Returns the descriptor to register for reading.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

impl<T> fmt::Debug for Inbox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").field("pipe", &self.pipe).finish_non_exhaustive()
    }
}

/// Sends values to a loop, from any thread. A sender is cheap to clone and can safely outlive the
/// loop.
// ANCHOR: senders_end
pub struct Sender<T> {
    waker: SenderWaker,
    /// Weak, so that senders don't keep the queue and its values alive after the loop.
    queue: Weak<Queue<T>>,
}
// ANCHOR_END: senders_end

/// The means by which a sender wakes the loop.
#[derive(Debug, Clone)]
enum SenderWaker {
    Pair(LoopWaker),
    Counter(EventFd),
}

impl SenderWaker {
    fn wake(&self) {
        match self {
            SenderWaker::Pair(waker) => waker.wake(),
            SenderWaker::Counter(counter) => counter.wake(),
        }
    }
}

impl<T> Sender<T> {
    /// Returns a sender that wakes the loop through `counter` instead of the inbox's pipe, as do
    /// all its clones.
    ///
    /// The loop must then also wait for the counter and call [`take_ahead`](Inbox::take_ahead) when
    /// the counter wakes it. If the loop registers the counter with an edge trigger, it never has
    /// to read the counter: each wake is an edge. mio's `Waker` works in the same way.
    #[must_use]
    pub fn through(self, counter: EventFd) -> Self {
        Sender { waker: SenderWaker::Counter(counter), ..self }
    }

    // ANCHOR: send
    /// Adds `value` at the end of the queue and wakes the loop once if the queue was empty.
    /// Otherwise the sender of the first value has woken the loop or is about to.
    ///
    /// Whatever other threads send or take meanwhile, no value is left in the queue of a sleeping
    /// loop. Once `send` has returned, the length that `is_empty` reads is up to date. `Ok` only
    /// means that the value was queued: values that the loop hasn't taken when it ends are dropped.
    ///
    /// Not checked: an inbox that's dropped in the middle of a `send`. The value is then either
    /// queued or returned.
    ///
    /// # Errors
    ///
    /// Fails with the value itself if the loop has dropped its inbox.
    pub fn send(&self, value: T) -> Result<(), T> {
        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        let mut values = lock(&queue);
        values.push(value);
        // Under the same lock: otherwise another thread's value could come in between.
        let is_first = values.len() == 1;
        drop(values);
        if is_first {
            self.waker.wake();
        }
        Ok(())
    }
    // ANCHOR_END: send
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Sender { waker: self.waker.clone(), queue: Weak::clone(&self.queue) }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").field("waker", &self.waker).finish_non_exhaustive()
    }
}

// ANCHOR: queue
/// The state that both ends share.
struct Queue<T> {
    values: Mutex<Vec<T>>,
    /// The number of values, which a loop can read without the lock.
    length: AtomicUsize,
}
// ANCHOR_END: queue

/// Locks the queue. No user code runs under this lock, so even a poisoned queue is consistent.
fn lock<T>(queue: &Queue<T>) -> Locked<'_, T> {
    let values = queue.values.lock().unwrap_or_else(PoisonError::into_inner);
    Locked { values, length: &queue.length }
}

/// The values of a queue, locked for as long as this guard exists.
struct Locked<'a, T> {
    values: MutexGuard<'a, Vec<T>>,
    length: &'a AtomicUsize,
}

impl<T> Drop for Locked<'_, T> {
    /// Updates the length. The mutex's guard is a field, so the lock is released only after `drop`
    /// returns. Lengths are therefore stored in the order of the changes, and Relaxed is enough.
    fn drop(&mut self) {
        self.length.store(self.values.len(), Ordering::Relaxed);
    }
}

impl<T> Deref for Locked<'_, T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.values
    }
}

impl<T> DerefMut for Locked<'_, T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.values
    }
}
