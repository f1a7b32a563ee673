//! The calls with which an observed thread moves bytes, counted while it runs.
//!
//! [`Calls::of`] asks the kernel, which counts neither `recv` nor `send`. An observer sees them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use crate::cost::Calls;
use crate::refusal::{READS, WRITES};
use crate::stops::Stop;

/// The calls of an [`Observer`](crate::Observer)'s thread until now. A clone counts the same calls.
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
    /// Counts the calls that the observed thread makes in `f`. Call this on that thread.
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

    /// Counts a call if it moves bytes. The thread is stopped meanwhile, so the thread never sees
    /// too low a count.
    ///
    /// Calls about a file don't count: an allocator can look up a setting below `/proc` at any
    /// time.
    pub(crate) fn note(&self, stop: Stop) {
        for (calls, count) in [(READS, &self.counts.reads), (WRITES, &self.counts.writes)] {
            if calls.into_iter().any(|call| stop.is(call)) && !stop.is_about_a_file() {
                count.fetch_add(1, SeqCst);
            }
        }
    }
}
