//! Does some things at a time, where each of them mostly waits for a program.

use std::iter;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many are done at a time, as in a reader's judgement.
const AT_ONCE: usize = 4;

/// Calls `do_one` with each number below `count`, some of them at a time, and returns the results in order.
pub(crate) fn some_at_a_time<T: Send>(count: usize, do_one: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let do_in_turn = || {
        let numbers = iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let mine = numbers.take_while(|number| *number < count);
        mine.map(|number| (number, do_one(number))).collect::<Vec<_>>()
    };
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(do_in_turn)).collect();
        let results = workers.into_iter().map(thread::ScopedJoinHandle::join);
        results.flat_map(|it| it.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}
