//! The limits on a student's requests and on guesses at the code.
//!
//! A whole class may be behind one address, so an address doesn't identify a student. We count a
//! student's requests by token. Requests without a token, which include all requests for the pages'
//! files, share one queue, which is served at a steady pace after a burst. A connection handles
//! only one request at a time. So a stranger who requests a thousand pages on each of a hundred
//! connections delays another stranger's page by a hundred pages but doesn't delay a student's
//! answer, which doesn't wait in this queue.
//!
//! Guesses at the code are limited. While wrong codes come too fast, the right code still lets a
//! student in, since otherwise a single guesser could keep everyone out. Only after a million wrong
//! codes is even the right code refused, until the teacher restarts the server.

use std::cell::Cell;
use std::time::{Duration, Instant};

use asyncio::Lock;
use ecosystem::LoopTimer;

/// The maximum number of wrong codes while a class's server runs. There are 19⁸ codes, so all of
/// these guesses together have a chance of one in 17,000.
pub(crate) const WRONG_CODES: u32 = 1_000_000;

/// The delay before the answer to a request that's refused for any reason except a conflict with
/// the class's state. The delay slows down clients that retry immediately.
pub(crate) const BRAKE: Duration = Duration::from_millis(250);

/// The maximum time for a request's head and, after that, for its body.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The maximum number of a student's open streams. The limit allows for a few pages and for pages
/// that have vanished without closing their stream.
pub(crate) const STREAMS: usize = 6;

/// The number of strangers' requests that we answer immediately, and the interval after which we
/// answer each further request. Even when a class of 200 opens its pages, the answers take only a
/// small part of an otherwise idle server's time.
const STRANGERS: (u32, Duration) = (3000, Duration::from_millis(5));

/// The queue of requests without a token.
#[derive(Debug)]
pub(crate) struct Strangers {
    first: Lock,
    bucket: Bucket,
}

impl Strangers {
    pub(crate) fn new() -> Self {
        let (holds, interval) = STRANGERS;
        Strangers { first: Lock::new(), bucket: Bucket::new(holds, interval) }
    }

    /// Waits for the request's turn. A request that stops waiting leaves the queue.
    pub(crate) async fn turn(&self) {
        // This fails only if the server is shutting down.
        let Ok(_held) = self.first.hold().await else { return };
        while !self.bucket.take() {
            LoopTimer.sleep(self.bucket.interval).await;
        }
    }
}

/// A bucket that initially holds a number of requests and is refilled by one request per interval.
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

    /// Takes a request out of the bucket and returns true, unless the bucket is empty.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_empty_after_what_it_holds() {
        let bucket = Bucket::new(3, Duration::from_hours(1));
        assert_eq!(
            [bucket.take(), bucket.take(), bucket.take(), bucket.take()],
            [true, true, true, false]
        );
        let quick = Bucket::new(1, Duration::ZERO);
        assert!(quick.take() && quick.take());
    }
}
