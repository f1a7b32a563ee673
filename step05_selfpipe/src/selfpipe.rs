//! A descriptor of one's own to be woken by.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use step01_fd::{Read, socketpair};

/// The loop's end: register it for reading, and drain it whenever it is readable.
/// (asyncio: the loop's `_ssock`, `_csock` and `_read_from_self`)
///
/// ```
/// let pipe = step05_selfpipe::SelfPipe::new()?;
/// let waker = pipe.waker();
/// std::thread::spawn(move || waker.wake()).join().expect("the thread ends");
/// assert_eq!(pipe.drain()?, 1);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct SelfPipe {
    reader: OwnedFd,
    waker: LoopWaker,
}

impl SelfPipe {
    // ANCHOR: new
    /// Makes the pair. Both ends are non-blocking: the loop must not sleep in a drain, nor anybody
    /// else in a wake. And both are closed when another program is started, which has no business
    /// with them.
    pub fn new() -> io::Result<Self> {
        let (reader, writer) = socketpair()?;
        Ok(SelfPipe { reader, waker: LoopWaker { writer: Arc::new(writer) } })
    }
    // ANCHOR_END: new

    /// The other end, for whoever has news for the loop.
    pub fn waker(&self) -> LoopWaker {
        self.waker.clone()
    }

    // ANCHOR: drain
    /// Reads all bytes that are there and returns how many they were.
    ///
    /// All of them: what is left over keeps the descriptor readable, and the loop would wake for
    /// each byte again.
    pub fn drain(&self) -> io::Result<usize> {
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
    /// The end to register for reading.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }
}

/// Wakes a loop, from any thread. Cheap to clone; outlives the loop without harm.
/// (asyncio: `loop._write_to_self`)
#[derive(Debug, Clone)]
pub struct LoopWaker {
    writer: Arc<OwnedFd>,
}

impl LoopWaker {
    // ANCHOR: wake
    /// Makes the loop's end readable. Put what there is to see in its place before you call this.
    ///
    /// Never blocks and never fails. If the pipe is full, the loop has more than enough reason to
    /// wake up; if the loop is gone, there is nobody to wake.
    pub fn wake(&self) {
        let _ = step01_fd::write(&*self.writer, &[0]);
    }
    // ANCHOR_END: wake
}

impl AsFd for LoopWaker {
    /// The end that is written to.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.writer.as_fd()
    }
}
