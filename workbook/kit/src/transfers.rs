//! Counts the calls with which an observed thread moves bytes, while the thread runs.
//!
//! [`Calls::of`] asks the kernel, which doesn't count `recv` and `send`. An observer sees these
//! calls, too.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use crate::cost::Calls;
use crate::refusal::{READS, WRITES};
use crate::stops::Stop;

/// The numbers of reads and writes that the thread of an [`Observer`](crate::Observer) has made so
/// far. A clone shares these counts.
#[derive(Debug, Clone, Default)]
pub struct Transfers {
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    reads: AtomicU64,
    writes: AtomicU64,
}

impl Transfers {
    /// Runs `f` and returns its result, with the number of calls that the observed thread makes in
    /// `f`. Use this method only in that thread.
    pub fn of<T>(&self, f: impl FnOnce() -> T) -> (T, Calls) {
        let before = self.until_now();
        let done = f();
        let after = self.until_now();
        let (reads, writes) = (after.reads - before.reads, after.writes - before.writes);
        (done, Calls { reads, writes })
    }

    fn until_now(&self) -> Calls {
        Calls { reads: self.counts.reads.load(SeqCst), writes: self.counts.writes.load(SeqCst) }
    }

    /// Counts a call if it moves bytes. The thread is stopped in the meantime, so it never sees a
    /// count that's too low.
    ///
    /// Reads and writes of a file aren't counted, because an allocator can read a setting in
    /// `/proc` at any time.
    pub(crate) fn note(&self, stop: Stop) {
        for (calls, count) in [(READS, &self.counts.reads), (WRITES, &self.counts.writes)] {
            if calls.into_iter().any(|call| stop.is(call)) && !stop.is_about_a_file() {
                count.fetch_add(1, SeqCst);
            }
        }
    }
}
