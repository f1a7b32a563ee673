//! Tests of the memory that a million cancelled timers leave allocated.

use std::time::Duration;

use kit::memory::{Counting, Memory};
use step04_timers::{Time, TimerHeap};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const MILLION: u64 = 1_000_000;

/// Makes a million timers, cancels all but one in `share`, and asks for the next timeout, as a loop
/// does in each tick. Returns the timers and the number of bytes that they use.
fn survivors(share: u64) -> (TimerHeap<u64>, usize) {
    let (timers, memory) = Memory::of(|| {
        let mut timers = TimerHeap::new();
        for number in 0..MILLION {
            let timer = timers.push(Time::ZERO + Duration::from_micros(number % 1009), number);
            if number % share != 0 {
                timers.cancel(timer);
            }
        }
        timers.next_timeout(Time::ZERO);
        timers
    });
    (timers, usize::try_from(memory.in_use).expect("bytes in use"))
}

/// Returns the number of bytes that this many timers need at least.
fn needed(count: usize) -> usize {
    // An entry of the heap (deadline and sequence number), and a payload with its sequence number.
    count * (16 + 24)
}

#[test]
fn after_the_cancels_at_most_twice_of_what_is_alive_is_kept() {
    for share in [3, 10, 1000, 100_000] {
        let (timers, bytes) = survivors(share);
        let needed = needed(timers.len());
        println!("1 in {share}: {} alive, {bytes} bytes, {needed} needed", timers.len());
        assert!(bytes <= 2 * needed + 8192, "1 in {share}: {bytes} bytes, {needed} needed");
    }
}
