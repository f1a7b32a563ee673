//! What one student can ask of the server, and how often a code can be guessed.
//!
//! A class sits behind one address, so an address says nothing. A student's requests are counted by the
//! token. Those who aren't in yet have none, and there the code is what's limited: a right one always lets
//! in, as otherwise a single guesser could keep everyone out, and after a million wrong ones in a class
//! none does.

use std::cell::Cell;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use ecosystem::{LoopSleep, LoopTimer};
use futures_io::{AsyncRead, AsyncWrite};

/// How many wrong codes a class sees at most. There are 19⁸ codes, so all of these guesses together have a
/// chance of one in 17,000.
pub(crate) const WRONG_CODES: u32 = 1_000_000;

/// How long a refused request waits for its answer: a brake on those who ask again at once.
pub(crate) const BRAKE: Duration = Duration::from_millis(250);

/// How long a request's body may take, and a write to a client that doesn't read.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How many streams a student can have open: a few pages, and those that died without a word.
pub(crate) const STREAMS: usize = 6;

/// A bucket that holds a number of requests, and gets one back in each interval.
#[derive(Debug)]
pub(crate) struct Bucket {
    full_at: Cell<Instant>,
    interval: Duration,
    holds: u32,
}

impl Bucket {
    pub(crate) fn new(holds: u32, interval: Duration) -> Self {
        Bucket { full_at: Cell::new(Instant::now()), interval, holds }
    }

    /// Takes one out, if there's one.
    pub(crate) fn take(&self) -> bool {
        let now = Instant::now();
        let full_at = self.full_at.get().max(now) + self.interval;
        let has_one = full_at <= now + self.interval * self.holds;
        if has_one {
            self.full_at.set(full_at);
        }
        has_one
    }
}

/// A connection that fails if its client takes nothing for a while.
#[derive(Debug)]
pub(crate) struct Impatient<T> {
    inner: T,
    /// Runs while a write waits.
    waits: Option<LoopSleep>,
}

impl<T> Impatient<T> {
    pub(crate) fn new(inner: T) -> Self {
        Impatient { inner, waits: None }
    }

    /// Fails if a write has waited too long.
    fn or_too_late<R>(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<R>>,
    ) -> Poll<io::Result<R>> {
        if outcome.is_ready() {
            self.waits = None;
            return outcome;
        }
        let sleep = self.waits.get_or_insert_with(|| LoopTimer.sleep(PATIENCE));
        match Pin::new(sleep).poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Impatient<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Impatient<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.or_too_late(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write_vectored(context, pieces);
        self.or_too_late(context, outcome)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.inner).poll_flush(context);
        self.or_too_late(context, outcome)
    }

    fn poll_close(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_close(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_empty_after_what_it_holds() {
        let bucket = Bucket::new(3, Duration::from_secs(3600));
        assert_eq!([bucket.take(), bucket.take(), bucket.take(), bucket.take()], [true, true, true, false]);
        let quick = Bucket::new(1, Duration::ZERO);
        assert!(quick.take() && quick.take());
    }
}
