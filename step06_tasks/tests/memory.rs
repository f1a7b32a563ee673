//! The memory that a ready queue keeps after a burst: room for a thousand callbacks, not for all of
//! them. Tasks that have ended leave their memory to later tasks.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use kit::memory::{Counting, Memory};
use step06_tasks::ReadyQueue;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const BURST: usize = 100_000;
/// The queue keeps room for a thousand callbacks; a callback's place takes less than 32 bytes.
const KEPT: isize = 32 * 1024;

fn in_use() -> isize {
    Memory::until_now().in_use
}

#[test]
fn a_queue_gives_the_memory_of_a_burst_back() {
    let queue = ReadyQueue::new().unwrap();
    let before = in_use();
    for _ in 0..BURST {
        queue.call_soon(|| {});
    }
    assert!(in_use() - before > KEPT, "a burst needs memory");
    queue.run_ready();
    // The queue notices when it's used again.
    queue.call_soon(|| {});
    queue.run_ready();
    let kept = in_use() - before;
    assert!(kept <= KEPT, "{kept} bytes are kept");
}

#[test]
fn a_queue_gives_the_memory_of_a_flood_back() {
    let queue = ReadyQueue::new().unwrap();
    let before = in_use();
    // From this thread, whose memory is counted.
    for _ in 0..BURST {
        queue.handle().call_soon_threadsafe(|| {});
    }
    queue.run_until_idle().unwrap();
    // The inbox and the queue swap their lists, so both lists have been used again.
    for _ in 0..2 {
        queue.handle().call_soon_threadsafe(|| {});
        queue.run_until_idle().unwrap();
    }
    let kept = in_use() - before;
    // A batch in each of these: the two lists, the backlog and the queue.
    assert!(kept <= 4 * KEPT, "{kept} bytes are kept");
}

#[test]
fn the_lists_of_messages_keep_their_memory_from_one_take_to_the_next() {
    const MESSAGES: usize = 1000;
    let queue = ReadyQueue::new().unwrap();
    let waker = Rc::<RefCell<Option<Waker>>>::default();
    let tasks: Vec<_> = (0..MESSAGES)
        .map(|_| Rc::clone(&waker))
        .map(|place| {
            queue.create_task::<()>(poll_fn(move |context| {
                place.replace(Some(context.waker().clone()));
                Poll::Pending
            }));
            queue.run_ready();
            waker.take().unwrap()
        })
        .collect();
    // Two lists take turns: threads send to one while the queue takes from the other.
    let mut allocations = 0;
    for turn in 0..6 {
        // The queue isn't entered, so these wakes are sent, though by its own thread.
        let ((), sending) = Memory::of(|| tasks.iter().for_each(Waker::wake_by_ref));
        queue.run_until_idle().unwrap();
        if turn >= 2 {
            allocations += sending.allocations;
        }
    }
    assert_eq!(allocations, 0, "to send {MESSAGES} wakes, four times");
    queue.set_exception_handler(|_| {});
    queue.clear();
}

const TASKS: usize = 100_000;

/// Returns the memory of a queue's tasks before any task has run and after all have ended.
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
    // The first burst has also made the list of the free indices.
    burst(&queue, before);
    let [full, kept] = burst(&queue, before);
    assert!(kept * 4 < full, "of {full} bytes {kept} are kept");
    for _ in 0..5 {
        let [again, kept_again] = burst(&queue, before);
        assert!(again <= full && kept_again <= kept, "{full} and {kept}, {again}, {kept_again}");
    }
}
