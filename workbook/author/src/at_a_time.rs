//! Makes several calls simultaneously. Each call mostly waits for a program.

use std::iter;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The number of simultaneous calls, which is also the number of scenes and trials that judge a
/// reader's page simultaneously.
const AT_ONCE: usize = 4;

/// Calls `do_one` with each number below `count`, several calls at a time, and returns the results
/// in order.
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

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn the_results_are_in_order_although_some_are_done_at_a_time() {
        // Each call waits for three other calls, so the test hangs unless four calls run
        // simultaneously.
        let together = Barrier::new(AT_ONCE);
        let results = some_at_a_time(5 * AT_ONCE, |number| {
            together.wait();
            number * 10
        });
        assert!(results.into_iter().eq((0..5 * AT_ONCE).map(|number| number * 10)));
    }
}
