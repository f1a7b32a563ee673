//! A queue between threads: a locked list, and a self-pipe that wakes the loop.
//!
//! The sender writes a byte when its value is the first in the queue, and not for each value: a
//! thousand that arrive while the loop is busy cost one byte. What makes that safe is an order on
//! both sides. The sender pushes first and wakes second; the loop drains first and takes second. So
//! it always holds that a queue with something in it has a byte in the pipe, or a sender on its way
//! to write one.
//!
//! Turn either around and the loop may drain the byte of a value it has not seen. The queue then
//! isn't empty, so no later sender wakes the loop either, and it sleeps forever: a lost wake-up.

use std::fmt;
use std::io;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::{LoopWaker, SelfPipe};

/// The loop's end: register it for reading, and take whenever it is readable.
/// (asyncio: what `call_soon_threadsafe` appends to and wakes)
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
pub struct Inbox<T> {
    pipe: SelfPipe,
    queue: Arc<Queue<T>>,
}

impl<T> Inbox<T> {
    /// Makes an empty inbox, with a self-pipe of its own.
    pub fn new() -> io::Result<Self> {
        let queue = Queue { values: Mutex::default(), length: AtomicUsize::new(0) };
        Ok(Inbox { pipe: SelfPipe::new()?, queue: Arc::new(queue) })
    }

    /// Returns the other end, for any thread that has something for the loop.
    pub fn sender(&self) -> Sender<T> {
        Sender { waker: self.pipe.waker(), queue: Arc::downgrade(&self.queue) }
    }

    /// Returns what wakes the loop without a value, for those who leave theirs somewhere else.
    pub fn waker(&self) -> LoopWaker {
        self.pipe.waker()
    }

    /// Returns how many values wait to be taken.
    pub fn len(&self) -> usize {
        lock(&self.queue).len()
    }

    /// Returns true if no value waits to be taken. It reads one atomic and takes no lock, so a loop
    /// can afford to ask often.
    ///
    /// If another thread is sending at this moment, either answer may be out of date. But a value
    /// whose sending *happened before* this call (on this thread, or on one that has been joined, or
    /// that has told this one) is never missed.
    pub fn is_empty(&self) -> bool {
        // Relaxed is enough: a load never returns less than what happened before it has stored, and
        // only the loop's own thread takes, so the length can't fall behind its back. The values
        // themselves are handed over by the lock, not by this number.
        self.queue.length.load(Ordering::Relaxed) == 0
    }

    // ANCHOR: take
    /// Drains the pipe, and then takes all values, in the order in which they arrived. What `values`
    /// held before is dropped.
    ///
    /// The two lists are swapped, so nothing is allocated while the loop runs. Old values are dropped
    /// before the queue is locked: a destructor is arbitrary code, and may want to send.
    pub fn take(&self, values: &mut Vec<T>) -> io::Result<()> {
        values.clear();
        self.pipe.drain()?;
        mem::swap(values, &mut *lock(&self.queue));
        Ok(())
    }
    // ANCHOR_END: take

    /// Takes all values, behind those in `values`, and leaves the byte in the pipe.
    ///
    /// This is for a loop that is awake already and wants to keep what it schedules itself behind
    /// what arrived before. The byte will still wake it, perhaps for nothing, because it may also be a
    /// signal's.
    pub fn take_ahead(&self, values: &mut Vec<T>) {
        values.append(&mut lock(&self.queue));
    }
}

impl<T> AsFd for Inbox<T> {
    /// What to register for reading.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

impl<T> fmt::Debug for Inbox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").field("pipe", &self.pipe).finish_non_exhaustive()
    }
}

/// Hands values to a loop, from any thread. Cheap to clone; outlives the loop without harm.
pub struct Sender<T> {
    waker: LoopWaker,
    /// Weak, so that what was sent to a loop that is gone is dropped with it.
    queue: Weak<Queue<T>>,
}

impl<T> Sender<T> {
    // ANCHOR: send
    /// Hands `value` over, and wakes the loop if it may not know yet that there is something.
    ///
    /// If the loop is gone, the value comes back. What the loop has not taken when it goes is
    /// dropped, so a value that was sent is not yet a value that was seen.
    pub fn send(&self, value: T) -> Result<(), T> {
        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        let mut values = lock(&queue);
        values.push(value);
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

/// What both ends share.
struct Queue<T> {
    values: Mutex<Vec<T>>,
    /// How many values there are, for a loop that asks without the lock.
    length: AtomicUsize,
}

/// Locks the queue. No user code runs under this lock, so even a poisoned queue is consistent.
fn lock<T>(queue: &Queue<T>) -> Locked<'_, T> {
    let values = queue.values.lock().unwrap_or_else(PoisonError::into_inner);
    Locked { values, length: &queue.length }
}

/// The values, for as long as the queue is locked.
struct Locked<'a, T> {
    values: MutexGuard<'a, Vec<T>>,
    length: &'a AtomicUsize,
}

impl<T> Drop for Locked<'_, T> {
    /// Brings the length up to date. That is still under the lock, since fields are dropped after
    /// this: so lengths are stored in the order in which the lists were changed, and Relaxed does.
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
