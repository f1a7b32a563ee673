//! Trials of the sweep: when it acts, on which of the two lists, and what it leaves.

use std::collections::BTreeSet;
use std::fmt;
use std::iter;

use scene::{Program, Random, Transcript, say, trial};
use step04_timers::{Time, TimerHeap, TimerId};

/// A heap to sweep: the number of timers that were made, and how many of them have fired or been
/// cancelled. The heap's entries are those that haven't fired, and every timer has a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Case {
    made: usize,
    fired: usize,
    cancelled: usize,
}

impl Case {
    /// Returns the cases around the limits: 100 entries or slots, and half of them.
    fn all() -> BTreeSet<Case> {
        let around = [0_usize, 1, 2, 99, 100, 101, 102, 103, 199, 200, 201, 400];
        let cases =
            around.into_iter().flat_map(|made| {
                let halves = [made / 2, made / 2 + 1, (made / 2).saturating_sub(1), made, 0];
                let few = halves.into_iter().filter(move |gone| *gone <= made);
                few.flat_map(move |gone| {
                    let (some, rest) = (gone / 3, gone - gone / 3);
                    [(0, gone), (gone, 0), (some, rest), (rest, some)]
                        .map(|(fired, cancelled)| Case { made, fired, cancelled })
                })
            });
        cases.collect()
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { made, fired, cancelled } = self;
        write!(f, "{made} made, {fired} fired, {cancelled} cancelled")
    }
}

trial!(
    what_is_worth_a_sweep,
    1,
    "A list is swept if it has more than SWEEP_ABOVE entries and most are of no use any more."
);
fn what_is_worth_a_sweep(program: &Program, t: Transcript) -> anyhow::Result<()> {
    // The shortest program that's wrong keeps the last, so that's the smallest.
    for case in program.verbs(Case::all().into_iter().rev()) {
        let mut heap = Swept::new(0);
        heap.make(case.made - case.fired);
        heap.fire(case.fired);
        heap.cancel(case.cancelled);
        heap.timers.sweep();
        say!(t, "{case}, sweep: {}; {}", heap.lists(), heap.rest());
    }
    Ok(())
}

/// Something to do with a heap that's swept.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Make(usize),
    Fire(usize),
    Cancel(usize),
    Sweep,
}

impl Verb {
    fn random(random: &mut Random) -> Verb {
        let count = random.choose(&[1, 10, 49, 50, 51, 100, 101]);
        match random.below(5) {
            0 => Verb::Make(count),
            1 => Verb::Fire(count),
            2 => Verb::Cancel(count),
            _ => Verb::Sweep,
        }
    }
}

trial!(
    sweeps_in_any_order,
    60,
    "Whatever is made, fired, cancelled and swept, the timers that are left can be used as before."
);
fn sweeps_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..16).map(|_| Verb::random(&mut random)));
    let mut heap = Swept::new(1);
    for verb in verbs {
        let did = match verb {
            Verb::Make(count) => {
                heap.make(count);
                format!("make {count}")
            }
            Verb::Fire(count) => format!("make {count}, and fire {}", heap.fire(count)),
            Verb::Cancel(count) => format!("cancel {}", heap.cancel(count)),
            Verb::Sweep => {
                heap.timers.sweep();
                "sweep".to_owned()
            }
        };
        say!(t, "{did}: {} waiting, {}", heap.timers.len(), heap.lists());
    }
    say!(t, "at the end: {}", heap.rest());
    Ok(())
}

/// A heap in which no cancelled timer is ever at the top while one fires, so that it makes no
/// difference when a `pop_due` drops those.
struct Swept {
    timers: TimerHeap<usize>,
    made: usize,
    /// The timers that can be cancelled.
    ids: Vec<TimerId>,
}

impl Swept {
    /// Makes a heap in which this many timers, the nearest, are never cancelled.
    fn new(never_cancelled: usize) -> Self {
        let mut heap = Swept { timers: TimerHeap::new(), made: 0, ids: Vec::new() };
        heap.make(never_cancelled);
        heap.ids.clear();
        heap
    }

    /// Makes timers, each due later than those before.
    fn make(&mut self, count: usize) {
        for _ in 0..count {
            self.made += 1;
            let when = Time::from_nanos(self.made as u64);
            self.ids.push(self.timers.push(when, self.made));
        }
    }

    /// Makes timers that are due before all others, and pops them. Returns how many there were.
    fn fire(&mut self, count: usize) -> usize {
        for _ in 0..count {
            self.timers.push(Time::ZERO, 0);
        }
        (0..count).filter_map(|_| self.timers.pop_due(Time::ZERO)).count()
    }

    /// Cancels timers, from the last towards the first. Returns how many of them had a payload.
    fn cancel(&mut self, count: usize) -> usize {
        let ids = self.ids.split_off(self.ids.len().saturating_sub(count));
        ids.into_iter().filter_map(|id| self.timers.cancel(id)).count()
    }

    fn lists(&self) -> String {
        format!("{} in the heap, {} slots", self.timers.scheduled(), self.timers.slots())
    }

    /// Pops all timers that are left, and says whether they're the right ones.
    fn rest(&mut self) -> String {
        let count = self.timers.len();
        let popped: Vec<usize> =
            iter::from_fn(|| self.timers.pop_due(Time::from_nanos(u64::MAX))).collect();
        let order = if popped.is_sorted() { "in order" } else { "out of order" };
        format!("of the {count} that are left, {} fire {order}", popped.len())
    }
}
