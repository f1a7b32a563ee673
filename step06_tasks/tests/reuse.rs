//! Tasks that have ended leave their memory to those that come.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use kit::memory::{Counting, Memory};
use step06_tasks::ReadyQueue;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const TASKS: usize = 100_000;

/// Returns what a queue takes for its tasks before any of them has run, and after all have ended.
fn burst(queue: &ReadyQueue, before: isize) -> [isize; 2] {
    for _ in 0..TASKS {
        queue.create_task(async { Ok(()) });
    }
    let full = Memory::until_now().in_use - before;
    queue.run_until_idle().unwrap();
    [full, Memory::until_now().in_use - before]
}

#[test]
fn a_later_burst_of_tasks_takes_no_more_than_an_earlier_one() {
    let before = Memory::until_now().in_use;
    let queue = ReadyQueue::new().unwrap();
    // From the first one, the list of the free indices is there as well.
    burst(&queue, before);
    let [full, kept] = burst(&queue, before);
    assert!(kept * 4 < full, "of {full} bytes {kept} are kept");
    for _ in 0..5 {
        let [again, kept_again] = burst(&queue, before);
        assert!(again <= full && kept_again <= kept, "{full} and {kept}, {again}, {kept_again}");
    }
}
