//! What one student can ask of the server, and how often a code can be guessed.
//!
//! A class sits behind one address, so an address says nothing. A student's requests are counted
//! per token. Those who aren't in yet have none: they stand in one queue, which is served at a
//! steady pace. A connection has one request at a time in it, so someone who asks for a thousand
//! pages on each of a hundred connections delays a page by a hundred others, and a student's
//! answer not at all.
//!
//! Of the code, the guesses are limited. A right one always lets in, as otherwise a single guesser
//! could keep everyone out, and after a million wrong ones in a class none does.

use std::cell::Cell;
use std::time::{Duration, Instant};

use asyncio::Lock;
use ecosystem::LoopTimer;

/// How many wrong codes a class sees at most. There are 19⁸ codes, so all of these guesses together
/// have a chance of one in 17,000.
pub(crate) const WRONG_CODES: u32 = 1_000_000;

/// How long a refused request waits for its answer: a brake on those who ask again at once.
pub(crate) const BRAKE: Duration = Duration::from_millis(250);

/// How long a request's head and its body may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How many streams a student can have open: a few pages, and those that died without a word.
pub(crate) const STREAMS: usize = 6;

/// How many requests of strangers are answered at once, and how often there's another one after
/// those: a class of 200 opens its pages, and then a server that does nothing else has nearly all
/// of its time left.
const STRANGERS: (u32, Duration) = (3000, Duration::from_millis(5));

/// The queue of those without a token.
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

    /// Waits for one's turn. Who doesn't wait any more leaves the queue.
    pub(crate) async fn turn(&self) {
        // It fails only if the server ends.
        let Ok(_held) = self.first.hold().await else { return };
        while !self.bucket.take() {
            LoopTimer.sleep(self.bucket.interval).await;
        }
    }
}

/// A bucket that holds a number of requests and gets one back in each interval.
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
