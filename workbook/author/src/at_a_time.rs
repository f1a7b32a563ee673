//! Makes several calls simultaneously. Each call mostly waits for a program.

use std::iter;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The number of simultaneous calls that judge bodies. It's the same as when a reader's page is
/// judged.
pub(crate) const AT_ONCE: usize = 4;

/// Calls `do_one` for each number below `count`, with a call running in each of `workers` threads,
/// and returns the results in order. `do_one` gets the number of its worker and its own number.
pub fn at_a_time<T: Send>(
    workers: usize,
    count: usize,
    do_one: impl Fn(usize, usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let do_in_turn = |worker| {
        let numbers = iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let mine = numbers.take_while(|number| *number < count);
        mine.map(|number| (number, do_one(worker, number))).collect::<Vec<_>>()
    };
    let do_in_turn = &do_in_turn;
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let workers: Vec<_> =
            (0..workers).map(|worker| scope.spawn(move || do_in_turn(worker))).collect();
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
        let results = at_a_time(AT_ONCE, 5 * AT_ONCE, |worker, number| {
            together.wait();
            assert!(worker < AT_ONCE);
            number * 10
        });
        assert!(results.into_iter().eq((0..5 * AT_ONCE).map(|number| number * 10)));
    }
}
