//! The self-pipe: a pair of sockets through which any thread can wake the loop.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use step01_fd::{Read, socketpair};

/// The loop's end of the pair: register it for reading and drain it whenever it's readable. In
/// asyncio, this end is the loop's `_ssock`, the other end is its `_csock`, and `_read_from_self`
/// drains `_ssock`.
///
/// ```
/// let pipe = step05_selfpipe::SelfPipe::new()?;
/// let waker = pipe.waker();
/// std::thread::spawn(move || waker.wake()).join().expect("the thread ends");
/// assert_eq!(pipe.drain()?, 1);
/// # Ok::<(), std::io::Error>(())
/// ```
// ANCHOR: reading_end
#[derive(Debug)]
pub struct SelfPipe {
    reader: OwnedFd,
    waker: LoopWaker,
}
// ANCHOR_END: reading_end

impl SelfPipe {
    // ANCHOR: new
    /// Makes the pair: the loop's end reads the bytes that wakers write to the other end, as one
    /// stream. Both ends are non-blocking, so that neither a drain nor a wake ever sleeps, and
    /// close-on-exec from the start, so that no program that another thread starts can inherit
    /// them.
    ///
    /// # Errors
    ///
    /// Fails with the kernel's `errno` if the kernel can't make the pair (`EMFILE`, for example) or
    /// can't make it non-blocking. The error needn't name the call, because std's errors don't.
    pub fn new() -> io::Result<Self> {
        let (reader, writer) = socketpair()?;
        Ok(SelfPipe { reader, waker: LoopWaker { writer: Arc::new(writer) } })
    }
    // ANCHOR_END: new

    /// Returns the writing end, for threads that have to wake the loop.
    pub fn waker(&self) -> LoopWaker {
        self.waker.clone()
    }

    // ANCHOR: drain
    /// Reads all bytes that have arrived, without ever waiting for more, and returns their number.
    ///
    /// `drain` leaves no byte behind, because a single byte would keep the descriptor readable and
    /// wake the loop again at once. For up to 1,000 bytes, it makes at most ten reads. It needs no
    /// other descriptor, not even a copy of its own, because a process without a free one has to
    /// sleep, too.
    ///
    /// Not checked: an interrupted read (`EINTR`). [`step01_fd::read`] repeats one, but the kernel
    /// interrupts a read only while it waits, and this one never waits.
    ///
    /// # Errors
    ///
    /// Fails if a read does.
    pub fn drain(&self) -> io::Result<usize> {
        // The pair usually holds fewer bytes than this, so one read empties it. asyncio reads
        // 4096 bytes, too.
        let mut buffer = [0; 4096];
        let mut total = 0;
        while let Read::Bytes(count) = step01_fd::read(&self.reader, &mut buffer)? {
            total += count;
        }
        Ok(total)
    }
    // ANCHOR_END: drain
}

impl AsFd for SelfPipe {
    /// Returns the end to register for reading.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }
}

/// Wakes a loop, from any thread; asyncio's `loop._write_to_self`. A waker is cheap to clone and
/// can safely outlive the loop.
// ANCHOR: writing_end
#[derive(Debug, Clone)]
pub struct LoopWaker {
    writer: Arc<OwnedFd>,
}
// ANCHOR_END: writing_end

impl LoopWaker {
    // ANCHOR: wake
    /// Makes the loop's end readable by writing one byte of any value. Publish your data first,
    /// then call `wake`.
    ///
    /// `wake` makes one attempt, needs no other descriptor, never blocks, not even for a lock, and
    /// ignores errors. If the pipe is full, the loop will wake up anyway. If the loop's end is
    /// closed, there's no loop to wake; the kernel then also sends SIGPIPE, which Rust programs
    /// ignore from the start.
    pub fn wake(&self) {
        let _ = step01_fd::write(&*self.writer, &[0]);
    }
    // ANCHOR_END: wake
}

impl AsFd for LoopWaker {
    /// Returns the end that a wake writes to.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.writer.as_fd()
    }
}
