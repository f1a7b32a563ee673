//! Limits for an operation that takes several waits: a timeout for each wait, or one deadline for
//! all.

use std::time::Duration;

use scene::{Transcript, say, scene};
use step04_timers::{Clock, Time, TimerHeap, VirtualClock};

const SECOND: Duration = Duration::from_secs(1);

scene!(
    timeout_or_deadline,
    "A request has ten bytes, and one arrives every 4 s. When does a limit of 5 s end the request?"
);
/// Reads the request with a limit of 5 s that starts again with each read, then with a deadline
/// that is set once and passed down to all reads.
fn timeout_or_deadline(t: Transcript) -> anyhow::Result<()> {
    let timeout = |_began: Time, now: Time| now + 5 * SECOND;
    let deadline = |began: Time, _now: Time| began + 5 * SECOND;
    say!(t, "a limit of 5 s per read:     {}", read_request(timeout));
    say!(t, "one deadline after 5 s:      {}", read_request(deadline));
    Ok(())
}

/// Reads ten bytes, each with a timer that limits its read.
fn read_request(until: impl Fn(Time, Time) -> Time) -> String {
    let clock = VirtualClock::new();
    let mut timers = TimerHeap::new();
    let began = clock.now();
    for bytes in 0..10 {
        let timer = timers.push(until(began, clock.now()), ());
        let byte_arrives = 4 * SECOND;
        let sleep = timers.next_timeout(clock.now()).unwrap_or(byte_arrives);
        clock.advance(sleep.min(byte_arrives));
        if timers.pop_due(clock.now()).is_some() {
            return format!("given up at {}, with {bytes} of 10 bytes", clock.now());
        }
        timers.cancel(timer);
    }
    format!("all 10 bytes at {}", clock.now())
}
