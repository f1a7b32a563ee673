//! This process's ends of a program's pipes, with reads and writes that tasks can await, and a
//! function that exchanges all input and output at once.
//!
//! If you write all of the input before you read any output, you may wait forever, because a
//! program that waits for room for its output reads no more input. So all three pipes are served at
//! the same time, by a single task. Three tasks would cost at least three allocations, and if the
//! call were cancelled, each task would have to be cancelled, too. Here, whenever an event wakes
//! the task, it polls the coroutines of the pipes that aren't finished, and each coroutine finds
//! out for itself whether it can continue.

use std::fmt;
use std::future::{Future as Coroutine, poll_fn};
use std::io::ErrorKind;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use step01_fd::{Read, Written, set_nonblocking};
use step03_selector::Interest;
use step06_tasks::{Error, Result};

use crate::AsyncFd;

/// This process's end of a pipe that carries a program's output. This end is registered once,
/// edge-triggered, like a socket. Dropping the reader closes this end.
pub struct PipeReader {
    pipe: AsyncFd<OwnedFd>,
}

impl PipeReader {
    /// Takes over this end of a pipe and makes it non-blocking. The other end isn't affected.
    pub(super) fn new(pipe: OwnedFd) -> Result<Self> {
        set_nonblocking(&pipe, true)?;
        Ok(PipeReader { pipe: AsyncFd::with_interest(pipe, Interest::READABLE)? })
    }

    /// Waits until bytes have arrived, reads at most as many as `buffer` has room for, and returns
    /// their number, which is 0 at the end of the output or if `buffer` is empty.
    ///
    /// # Errors
    ///
    /// Fails as [`try_read`](PipeReader::try_read) does, and with `Cancelled` if the task is
    /// cancelled.
    pub async fn read(&self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            self.pipe.readable().await?;
            match self.try_read(buffer)? {
                Read::Bytes(count) => return Ok(count),
                Read::End => return Ok(0),
                Read::WouldBlock => {}
            }
        }
    }

    /// Reads the output to its end. If the call is cancelled, the bytes read so far are lost.
    ///
    /// # Errors
    ///
    /// Fails as [`read`](PipeReader::read) does.
    pub async fn read_to_end(&self) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        loop {
            self.pipe.readable().await?;
            let mut scratch = self.pipe.event_loop().scratch(usize::MAX);
            match self.try_read(&mut scratch)? {
                Read::Bytes(count) => all.extend_from_slice(&scratch[..count]),
                Read::End => return Ok(all),
                Read::WouldBlock => {}
            }
        }
    }

    // ANCHOR: pipe_read
    /// Reads bytes that have already arrived, without waiting.
    ///
    /// # Errors
    ///
    /// Fails as [`step01_fd::read`] does.
    pub fn try_read(&self, buffer: &mut [u8]) -> Result<Read> {
        let outcome = step01_fd::read(&self.pipe, buffer)?;
        let has_no_more = match outcome {
            Read::Bytes(count) => count < buffer.len(),
            Read::WouldBlock => true,
            Read::End => false,
        };
        if has_no_more {
            self.pipe.clear_readable();
        }
        Ok(outcome)
    }
    // ANCHOR_END: pipe_read
}

impl AsFd for PipeReader {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

impl fmt::Debug for PipeReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PipeReader").field(self.pipe.get_ref()).finish()
    }
}

/// This process's end of a pipe that carries a program's input. This end is registered once,
/// edge-triggered, like a socket. Dropping the writer closes this end, and the program then reads
/// the end of its input.
pub struct PipeWriter {
    pipe: AsyncFd<OwnedFd>,
}

impl PipeWriter {
    /// Takes over this end of a pipe and makes it non-blocking. The other end isn't affected.
    pub(super) fn new(pipe: OwnedFd) -> Result<Self> {
        set_nonblocking(&pipe, true)?;
        Ok(PipeWriter { pipe: AsyncFd::with_interest(pipe, Interest::WRITABLE)? })
    }

    /// Writes all of `bytes` and waits whenever the pipe has no room.
    ///
    /// # Errors
    ///
    /// Fails with `BrokenPipe` if no process has the pipe's other end open any more, since the
    /// program has ended or has closed its input, and with `Cancelled` if the task is cancelled.
    pub async fn write_all(&self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            self.pipe.writable().await?;
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
        }
        Ok(())
    }

    /// Writes as many bytes as the pipe has room for and returns their number, which can be 0.
    ///
    /// # Errors
    ///
    /// Fails with `BrokenPipe` if no process has the pipe's other end open any more, since the
    /// program has ended or has closed its input.
    pub fn try_write(&self, bytes: &[u8]) -> Result<usize> {
        match step01_fd::write(&self.pipe, bytes)? {
            Written::Bytes(count) => Ok(count),
            Written::WouldBlock => {
                self.pipe.clear_writable();
                Ok(0)
            }
        }
    }
}

impl AsFd for PipeWriter {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

impl fmt::Debug for PipeWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PipeWriter").field(self.pipe.get_ref()).finish()
    }
}

/// Writes the input and closes the input's pipe while reading both outputs to the end. A program
/// needn't read all of its input: if the program closes the pipe, the rest of the input is dropped.
pub(super) async fn exchange(
    (stdin, input): (Option<PipeWriter>, &[u8]),
    stdout: Option<PipeReader>,
    stderr: Option<PipeReader>,
) -> Result<(Option<Vec<u8>>, Option<Vec<u8>>)> {
    let ((), output, errors) =
        together(feed(stdin, input), read_all(stdout), read_all(stderr)).await?;
    Ok((output, errors))
}

async fn feed(stdin: Option<PipeWriter>, input: &[u8]) -> Result<()> {
    let Some(stdin) = stdin else { return Ok(()) };
    match stdin.write_all(input).await {
        Err(Error::Io(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

async fn read_all(pipe: Option<PipeReader>) -> Result<Option<Vec<u8>>> {
    match pipe {
        Some(pipe) => Ok(Some(pipe.read_to_end().await?)),
        None => Ok(None),
    }
}

/// Awaits three coroutines and returns their results. As soon as a coroutine fails, returns the
/// error and drops all three.
async fn together<A, B, C>(
    one: impl Coroutine<Output = Result<A>>,
    other: impl Coroutine<Output = Result<B>>,
    third: impl Coroutine<Output = Result<C>>,
) -> Result<(A, B, C)> {
    let (mut one, mut other, mut third) = (pin!(one), pin!(other), pin!(third));
    let (mut first, mut second, mut last) = (None, None, None);
    poll_fn(|context| {
        poll_once_more(one.as_mut(), &mut first, context)?;
        poll_once_more(other.as_mut(), &mut second, context)?;
        poll_once_more(third.as_mut(), &mut last, context)?;
        match (first.take(), second.take(), last.take()) {
            (Some(a), Some(b), Some(c)) => Poll::Ready(Ok((a, b, c))),
            (a, b, c) => {
                (first, second, last) = (a, b, c);
                Poll::Pending
            }
        }
    })
    .await
}

/// Polls a coroutine, unless it's done, and stores its result.
fn poll_once_more<T>(
    coroutine: Pin<&mut impl Coroutine<Output = Result<T>>>,
    result: &mut Option<T>,
    context: &mut Context<'_>,
) -> Result<()> {
    if result.is_none()
        && let Poll::Ready(outcome) = coroutine.poll(context)
    {
        *result = Some(outcome?);
    }
    Ok(())
}
