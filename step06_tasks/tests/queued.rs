//! The flag that wakers share with a task's steps doesn't lose a wake-up.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::hint::{black_box, spin_loop};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::thread;
use std::time::{Duration, Instant};

use queued::QueuedFlag;

// The flag on its own: a whole step takes too long for a processor to reorder around it.
#[path = "../src/queued.rs"]
mod queued;

const LAST_ROUND: u64 = u64::MAX;

/// A cache line of its own.
#[repr(align(128))]
struct Line<T>(T);

/// What the thread that wakes shares with the one that steps.
struct Shared {
    flag: Line<QueuedFlag>,
    /// What the waking thread publishes before it wakes.
    published: Line<AtomicU64>,
    round: Line<AtomicU64>,
    /// Twice the round that the waking thread has finished, plus one if it found the task queued.
    woken: Line<AtomicU64>,
    /// Both threads write here. So their own stores wait for the other one's cache, and a store that
    /// the processor may delay is delayed for long.
    noise: [Line<AtomicU64>; 8],
}

/// A task is queued, and is woken just when its step begins. If the waker finds it queued, the step
/// must see what was published. With a plain store in `clear`, this fails within milliseconds on a
/// machine with two free processors; it can't fail if the flag is right.
#[test]
fn a_waker_that_finds_the_task_queued_has_published_for_its_step() {
    let shared = Shared {
        flag: Line(QueuedFlag::of_a_queued_task()),
        published: Line(AtomicU64::new(0)),
        round: Line(AtomicU64::new(0)),
        woken: Line(AtomicU64::new(0)),
        noise: std::array::from_fn(|_| Line(AtomicU64::new(0))),
    };
    thread::scope(|scope| {
        scope.spawn(|| wake_in_each_round(&shared));
        let end = Instant::now() + Duration::from_secs(1);
        let (mut round, mut is_lost) = (0, false);
        while !is_lost && Instant::now() < end {
            round += 1;
            is_lost = loses(&shared, round);
        }
        shared.round.0.store(LAST_ROUND, Release);
        assert!(!is_lost, "round {round}: a wake-up was lost");
    });
}

fn wake_in_each_round(shared: &Shared) {
    let mut before = 0;
    loop {
        for line in &shared.noise {
            line.0.store(before, Relaxed);
        }
        let round = wait_for(&shared.round.0, |round| round != before);
        if round == LAST_ROUND {
            return;
        }
        wait_a_little(round % 64);
        shared.published.0.store(round, Relaxed);
        let was_queued = !shared.flag.0.set();
        shared.woken.0.store(2 * round + u64::from(was_queued), Release);
        before = round;
    }
}

/// Begins a step and looks what was published. Returns true if that's too little.
fn loses(shared: &Shared, round: u64) -> bool {
    shared.flag.0.set();
    shared.round.0.store(round, Release);
    wait_a_little(round / 64 % 64);
    for line in &shared.noise {
        line.0.store(round, Relaxed);
    }
    shared.flag.0.clear();
    let seen = shared.published.0.load(Relaxed);
    let woken = wait_for(&shared.woken.0, |woken| woken / 2 == round);
    woken % 2 == 1 && seen != round
}

fn wait_for(value: &AtomicU64, is_it: impl Fn(u64) -> bool) -> u64 {
    loop {
        let value = value.load(Acquire);
        if is_it(value) {
            return value;
        }
        spin_loop();
    }
}

/// Varies where the two threads meet.
fn wait_a_little(turns: u64) {
    for turn in 0..turns {
        black_box(turn);
    }
}
