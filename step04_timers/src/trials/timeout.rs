//! Trials of the question how long to sleep.

use std::fmt;
use std::time::Duration;

use scene::{Program, Random, Transcript, say, trial};
use step04_timers::{Time, TimerHeap};

use super::verb::{Numbered, Verb};

trial!(
    timeouts_in_any_order,
    200,
    "Whatever is pushed, cancelled and popped, the timeout is that of the nearest live timer."
);
fn timeouts_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..40).map(|timer| Verb::any(timer, &mut random)));
    let mut heap = Numbered::new();
    for verb in verbs {
        let Some(did) = heap.carry_out(verb) else { continue };
        say!(t, "{verb}: {did}; {}", heap.left());
        if matches!(verb, Verb::PopDue { .. } | Verb::NextTimeout { .. }) {
            // Now no cancelled timer is at the top, whenever pop_due drops those.
            let asked = heap.timers.next_timeout(Time::ZERO);
            let entries = heap.timers.scheduled();
            say!(t, "  next_timeout at 0ns: {asked:?}; {entries} in the heap");
        }
    }
    Ok(())
}

/// Something to do with a heap of many timers.
#[derive(Debug, Clone, Copy)]
enum Batch {
    /// Makes timers and cancels them.
    Cancelled(usize),
    /// Makes timers that stay.
    Waiting(usize),
}

impl Batch {
    fn random(random: &mut Random) -> Batch {
        let count = random.choose(&[1, 10, 49, 50, 51, 100, 101]);
        if random.once_in(4) { Batch::Waiting(count) } else { Batch::Cancelled(count) }
    }
}

impl fmt::Display for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Batch::Cancelled(count) => write!(f, "push {count} and cancel them"),
            Batch::Waiting(count) => write!(f, "push {count}"),
        }
    }
}

trial!(
    timeouts_of_many,
    40,
    "However many timers are cancelled behind a live one, next_timeout keeps both lists short."
);
fn timeouts_of_many(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..12).map(|_| Batch::random(&mut random)));
    let mut timers = TimerHeap::new();
    let [now, near, far] = [0, 1, 2].map(Duration::from_secs).map(|after| Time::ZERO + after);
    // It's the nearest of all, so no cancelled timer is ever at the top.
    timers.push(near, ());
    for verb in verbs {
        let (Batch::Cancelled(count) | Batch::Waiting(count)) = verb;
        let ids: Vec<_> = (0..count).map(|_| timers.push(far, ())).collect();
        if matches!(verb, Batch::Cancelled(_)) {
            for id in ids {
                timers.cancel(id);
            }
        }
        let asked = timers.next_timeout(now);
        let (waiting, entries, slots) = (timers.len(), timers.scheduled(), timers.slots());
        say!(t, "{verb}, next_timeout: {asked:?}");
        say!(t, "  {waiting} waiting, {entries} in the heap, {slots} slots");
    }
    Ok(())
}
