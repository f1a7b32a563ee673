//! A chain of 100,000 tasks, each of which awaits the next, ends without a frame per task.

use std::thread;

use kit::limit_time;
use step06_tasks::{Future, ReadyQueue, Task};

const LENGTH: u32 = 100_000;

/// Runs a test on a stack of 1 MiB, which is 10 bytes for each task.
fn on_a_small_stack(test: fn()) {
    limit_time();
    thread::Builder::new().stack_size(1024 * 1024).spawn(test).unwrap().join().unwrap();
}

/// Makes the chain and lets every task run to its await. Each returns one more than the next.
fn chain(queue: &ReadyQueue) -> (Task<u32>, Future<u32>) {
    let innermost: Future<u32> = queue.create_future();
    let awaited = innermost.clone();
    let mut task = queue.create_task(async move { Ok(awaited.await? + 1) });
    for _ in 1..LENGTH {
        let inner = task.clone();
        task = queue.create_task(async move { Ok(inner.await? + 1) });
    }
    queue.run_until_idle().unwrap();
    (task, innermost)
}

#[test]
fn a_long_chain_completes() {
    on_a_small_stack(|| {
        let queue = ReadyQueue::new().unwrap();
        let (outermost, innermost) = chain(&queue);
        innermost.set_result(0).unwrap();
        queue.run_until_idle().unwrap();
        assert_eq!(outermost.result().unwrap(), LENGTH);
    });
}

#[test]
fn a_long_chain_is_cancelled() {
    on_a_small_stack(|| {
        let queue = ReadyQueue::new().unwrap();
        let (outermost, innermost) = chain(&queue);
        assert!(outermost.cancel());
        assert!(innermost.cancelled());
        queue.run_until_idle().unwrap();
        assert!(outermost.cancelled());
        assert_eq!(queue.task_count(), 0);
    });
}

#[test]
fn a_long_chain_is_dropped() {
    on_a_small_stack(|| {
        let queue = ReadyQueue::new().unwrap();
        queue.set_exception_handler(|_| {});
        let (outermost, innermost) = chain(&queue);
        queue.clear();
        drop((outermost, innermost));
        assert_eq!(queue.task_count(), 0);
    });
}

#[test]
fn a_long_chain_that_has_ended_is_dropped_from_its_outer_end() {
    on_a_small_stack(|| {
        let queue = ReadyQueue::new().unwrap();
        let (outermost, innermost) = chain(&queue);
        innermost.set_result(0).unwrap();
        queue.run_until_idle().unwrap();
        drop(innermost);
        drop(outermost);
    });
}
