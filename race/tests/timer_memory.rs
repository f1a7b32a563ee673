//! What a million cancelled timers leave behind.

use std::time::Duration;

use step04_timers::{Time, TimerHeap};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

const MILLION: u64 = 1_000_000;

/// Bytes that are allocated just now.
fn allocated() -> usize {
    dhat::HeapStats::get().curr_bytes
}

/// Timers of which one in `share` is not cancelled, after the look that a loop takes each turn; and
/// how many bytes they take.
fn survivors(share: u64) -> (TimerHeap<u64>, usize) {
    let before = allocated();
    let mut timers = TimerHeap::new();
    for number in 0..MILLION {
        let timer = timers.push(Time::ZERO + Duration::from_micros(number % 1009), number);
        if number % share != 0 {
            timers.cancel(timer);
        }
    }
    timers.next_timeout(Time::ZERO);
    let bytes = allocated() - before;
    (timers, bytes)
}

/// The bytes of as many timers that were made for themselves, with nothing to spare.
fn needed(count: usize) -> usize {
    // When, which, and the number and the value once more.
    count * (16 + 24)
}

#[test]
fn after_the_cancels_at_most_twice_of_what_is_alive_is_kept() {
    let _profiler = dhat::Profiler::builder().testing().build();
    for share in [3, 10, 1000, 100_000] {
        let (timers, bytes) = survivors(share);
        let needed = needed(timers.len());
        println!("1 in {share}: {} alive, {bytes} bytes, {needed} needed", timers.len());
        assert!(bytes <= 2 * needed + 8192, "1 in {share}: {bytes} bytes, {needed} needed");
    }
}
