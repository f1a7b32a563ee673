//! Trials of heaps that lose all their timers, or in which very many timers are cancelled.

use std::iter;
use std::thread;

use anyhow::Context;
use scene::{Program, Transcript, say, trial};
use step04_timers::{Time, TimerHeap, TimerId};

const DUE: Time = Time::from_nanos(5);

/// The numbers of timers: none, around the constant in the docs and powers of two, and very many.
const COUNTS: [usize; 14] = [0, 1, 2, 63, 64, 65, 99, 100, 101, 102, 127, 129, 1024, 4000];

trial!(
    all_are_cancelled,
    1,
    "Each of many timers can be cancelled once, and all their entries and slots are kept."
);
fn all_are_cancelled(program: &Program, t: Transcript) -> anyhow::Result<()> {
    // The shortest program that's wrong keeps the last, so that's the smallest.
    for count in program.verbs(COUNTS.into_iter().rev()) {
        for is_reversed in [false, true] {
            let mut timers = TimerHeap::new();
            let mut ids = push(&mut timers, count, Time::ZERO);
            if is_reversed {
                ids.reverse();
            }
            let mut cancel = || ids.iter().filter_map(|id| timers.cancel(*id)).count();
            let (first, second) = (cancel(), cancel());
            let order = if is_reversed { "the last one first" } else { "the first one first" };
            let (entries, slots) = (timers.scheduled(), timers.slots());
            say!(t, "push {count} and cancel them, {order}: {first} cancelled");
            say!(t, "  again: {second}; {entries} in the heap, {slots} slots");
        }
    }
    Ok(())
}

/// Returns a heap with a number of cancelled timers before the timers that wait. A sweep of the
/// heap is worthwhile if fewer timers wait than are cancelled and the heap has more than a hundred
/// entries.
fn with_cancelled(cancelled: usize, waiting: usize) -> TimerHeap<()> {
    let mut timers = TimerHeap::new();
    for id in push(&mut timers, cancelled, Time::ZERO) {
        timers.cancel(id);
    }
    push(&mut timers, waiting, DUE);
    timers
}

fn push(timers: &mut TimerHeap<()>, count: usize, when: Time) -> Vec<TimerId> {
    (0..count).map(|_| timers.push(when, ())).collect()
}

/// Runs `f` with a stack of 64 KiB, which is enough for any answer that needs no stack for each
/// timer.
fn with_little_stack<T: Send>(f: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(64 * 1024).spawn_scoped(scope, f)?;
        thread.join().ok().context("the thread panicked")
    })
}

trial!(
    popping_behind_many_cancelled,
    1,
    "No matter how many cancelled timers come before a live one, pop_due finds the live one without a deep stack."
);
fn popping_behind_many_cancelled(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for (cancelled, waiting) in program.verbs(cases()) {
        let fired = with_little_stack(|| {
            let mut timers = with_cancelled(cancelled, waiting);
            iter::from_fn(|| timers.pop_due(DUE)).count()
        })?;
        say!(
            t,
            "timers cancelled: {cancelled}; later timers due: {waiting}; pop_due until None: {fired} fire"
        );
    }
    Ok(())
}

trial!(
    asking_behind_many_cancelled,
    1,
    "No matter how many cancelled timers come before a live one, next_timeout returns the time until the live one."
);
fn asking_behind_many_cancelled(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for (cancelled, waiting) in program.verbs(cases()) {
        let (asked, entries, slots) = with_little_stack(|| {
            let mut timers = with_cancelled(cancelled, waiting);
            let asked = timers.next_timeout(Time::ZERO);
            (asked, timers.scheduled(), timers.slots())
        })?;
        say!(
            t,
            "timers cancelled: {cancelled}; later timers due at 5 ns: {waiting}; next_timeout: {asked:?}"
        );
        say!(t, "  {entries} in the heap, {slots} slots");
    }
    Ok(())
}

fn cases() -> impl Iterator<Item = (usize, usize)> {
    let counts = COUNTS.into_iter().rev();
    counts.flat_map(|cancelled| [0, 1, cancelled + 1].map(|waiting| (cancelled, waiting)))
}
