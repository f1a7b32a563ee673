//! Trials of `next_timeout`, which says how long a loop can sleep.

use std::fmt;
use std::time::Duration;

use scene::{Program, Random, Transcript, say, trial};
use step04_timers::{Time, TimerHeap, TimerId};

use super::verb::{Numbered, Verb};

trial!(
    timeouts_in_any_order,
    200,
    "Whatever is pushed, cancelled and popped, next_timeout returns the time until the nearest live timer is due."
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

/// An operation on a heap of many timers.
#[derive(Debug, Clone, Copy)]
enum Batch {
    /// Makes timers and cancels them.
    Cancelled(usize),
    /// Makes timers that stay.
    Waiting(usize),
    /// Makes timers that are due and pops them.
    Fired(usize),
    /// Makes a timer that's due before the timers of `Waiting`.
    Near,
    /// Cancels all timers that are left.
    CancelAll,
    /// Pops all timers that are left.
    FireAll,
}

impl Batch {
    fn random(random: &mut Random) -> Batch {
        let count = random.choose(&[1, 10, 49, 50, 51, 100, 101]);
        match random.below(12) {
            0 => Batch::CancelAll,
            1 => Batch::FireAll,
            2 => Batch::Near,
            3..6 => Batch::Waiting(count),
            6..8 => Batch::Fired(count),
            _ => Batch::Cancelled(count),
        }
    }
}

impl fmt::Display for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Batch::Cancelled(count) => write!(f, "push {count} and cancel them"),
            Batch::Waiting(count) => write!(f, "push {count}, due at 2s"),
            Batch::Fired(count) => write!(f, "push {count} and pop them"),
            Batch::Near => f.write_str("push one, due at 1s"),
            Batch::CancelAll => f.write_str("cancel all that are left"),
            Batch::FireAll => f.write_str("pop all that are left"),
        }
    }
}

/// The times at which to ask, in nanoseconds: before, at and after the deadlines.
const TIMES: [u64; 6] = [0, 0, 999_999_999, 1_000_000_000, 2_000_000_000, u64::MAX];

trial!(
    timeouts_of_many,
    100,
    "No matter how many timers are cancelled or fire, next_timeout keeps both lists short."
);
fn timeouts_of_many(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..10).map(|_| (Batch::random(&mut random), random.choose(&TIMES))));
    let mut timers = Timers::default();
    for (batch, now) in verbs {
        timers.carry_out(batch);
        let now = Time::from_nanos(now);
        let asked = timers.heap.next_timeout(now);
        say!(t, "{batch}, next_timeout at {now}: {asked:?}");
        let (waiting, entries) = (timers.heap.len(), timers.heap.scheduled());
        say!(t, "  {waiting} waiting, {entries} in the heap, {} slots", timers.heap.slots());
    }
    Ok(())
}

/// A heap that's asked for the timeout after each batch, which drops the cancelled timers at the
/// top. A batch that pops timers finds none of them at the top or empties the heap. So it makes no
/// difference when `pop_due` drops cancelled timers.
#[derive(Default)]
struct Timers {
    heap: TimerHeap<()>,
    left: Vec<TimerId>,
}

impl Timers {
    fn carry_out(&mut self, batch: Batch) {
        let [near, far] = [1, 2].map(Duration::from_secs).map(|after| Time::ZERO + after);
        match batch {
            Batch::Cancelled(count) => {
                let ids = self.push(count, far);
                self.cancel(ids);
            }
            Batch::Waiting(count) => {
                let ids = self.push(count, far);
                self.left.extend(ids);
            }
            Batch::Fired(count) => {
                self.push(count, Time::ZERO);
                for _ in 0..count {
                    self.heap.pop_due(Time::ZERO);
                }
            }
            Batch::Near => {
                let ids = self.push(1, near);
                self.left.extend(ids);
            }
            Batch::CancelAll => {
                let ids = std::mem::take(&mut self.left);
                self.cancel(ids);
            }
            Batch::FireAll => while self.heap.pop_due(far).is_some() {},
        }
    }

    fn push(&mut self, count: usize, when: Time) -> Vec<TimerId> {
        (0..count).map(|_| self.heap.push(when, ())).collect()
    }

    fn cancel(&mut self, ids: Vec<TimerId>) {
        for id in ids {
            self.heap.cancel(id);
        }
    }
}
