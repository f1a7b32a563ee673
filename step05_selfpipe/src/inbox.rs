//! How news crosses from one thread to another: a queue with a lock, and an alarm.
//!
//! The alarm rings when the queue has just become filled, and not for each value: a thousand that
//! come while the loop is busy cost one byte. What makes that safe is an order on both sides. The
//! sender pushes first and wakes second; the loop drains first and takes second. So it always holds
//! that a queue with something in it has a byte in the pipe, or a sender on its way to write one.
//!
//! Turn either around and the loop may drain the byte of a value it has not seen. The queue is then
//! filled, so no later sender wakes either, and the loop is deaf for good.

use std::fmt;
use std::io;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::{LoopWaker, SelfPipe};

/// The loop's end: register it for reading, and take whenever it is readable.
/// (asyncio: what `call_soon_threadsafe` appends to and wakes)
///
/// ```
/// let inbox = step05_selfpipe::Inbox::new()?;
/// let sender = inbox.sender();
/// std::thread::spawn(move || sender.send("news")).join().expect("the thread ends").ok();
/// let mut news = Vec::new();
/// inbox.take(&mut news)?;
/// assert_eq!(news, ["news"]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Inbox<T> {
    pipe: SelfPipe,
    queue: Arc<Mutex<Vec<T>>>,
}

impl<T> Inbox<T> {
    /// An empty one.
    pub fn new() -> io::Result<Self> {
        Ok(Inbox { pipe: SelfPipe::new()?, queue: Arc::default() })
    }

    /// The other end, for whoever has news for the loop.
    pub fn sender(&self) -> Sender<T> {
        Sender { waker: self.pipe.waker(), queue: Arc::downgrade(&self.queue) }
    }

    /// Wakes the loop without any news in the queue, for those who leave theirs somewhere else.
    pub fn waker(&self) -> LoopWaker {
        self.pipe.waker()
    }

    /// How many values nobody has taken yet.
    pub fn len(&self) -> usize {
        lock(&self.queue).len()
    }

    /// Whether all was taken.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    // ANCHOR: take
    /// Puts the alarm back, and then takes all that has come, in the order in which it came. What
    /// `news` held before is dropped.
    ///
    /// The two lists change places, so nothing is allocated while the loop runs. And no value is
    /// dropped while the queue is locked: it may be anybody's, and its end may want to send.
    pub fn take(&self, news: &mut Vec<T>) -> io::Result<()> {
        news.clear();
        self.pipe.drain()?;
        mem::swap(news, &mut *lock(&self.queue));
        Ok(())
    }
    // ANCHOR_END: take
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
    queue: Weak<Mutex<Vec<T>>>,
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

/// No code of others runs under this lock, so nobody can have panicked half-way through a change.
fn lock<T>(queue: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}
