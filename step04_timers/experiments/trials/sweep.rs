//! Trials of the sweep: when it sweeps, which of the two lists it sweeps, and what it leaves.

use std::collections::BTreeSet;
use std::fmt;
use std::iter;

use kit::cost::within;
use kit::memory::Memory;
use scene::{Program, Random, Transcript, say, trial};
use step04_timers::{Time, TimerHeap, TimerId};

/// A heap to sweep: the number of timers that were made, and how many of them have fired or been
/// cancelled. A timer that hasn't fired has an entry in the heap, and every timer has a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Case {
    made: usize,
    fired: usize,
    cancelled: usize,
    from: From,
}

/// Which timers are cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum From {
    First,
    Last,
    /// Every second timer.
    Everywhere,
}

impl From {
    const ALL: [From; 3] = [From::Last, From::First, From::Everywhere];
}

impl Case {
    /// Returns the cases around the limits: 100 entries or slots and half of them.
    fn all() -> BTreeSet<Case> {
        let around = [0_usize, 1, 2, 99, 100, 101, 102, 103, 199, 200, 201, 400];
        let cases = around.into_iter().flat_map(|made| {
            let halves = [made / 2, made / 2 + 1, (made / 2).saturating_sub(1), made, 0];
            let few = halves.into_iter().filter(move |gone| *gone <= made);
            few.flat_map(move |gone| {
                let (some, rest) = (gone / 3, gone - gone / 3);
                let all = [(0, gone), (gone, 0), (some, rest), (rest, some)];
                all.into_iter()
                    .zip(From::ALL.into_iter().cycle().skip(made % 3))
                    .map(move |((fired, cancelled), from)| Case { made, fired, cancelled, from })
            })
        });
        cases.collect()
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { made, fired, cancelled, from } = self;
        write!(f, "{made} made, {fired} fired, {cancelled} cancelled")?;
        match (cancelled, from) {
            (0, _) => Ok(()),
            (_, From::First) => f.write_str(" (the first ones)"),
            (_, From::Last) => f.write_str(" (the last ones)"),
            (_, From::Everywhere) => f.write_str(" (here and there)"),
        }
    }
}

trial!(
    what_is_worth_a_sweep,
    1,
    "A list is swept if it has more than SWEEP_ABOVE entries and more than half of them are useless."
);
fn what_is_worth_a_sweep(program: &Program, t: Transcript) -> anyhow::Result<()> {
    // The shortest program that's wrong keeps the last, so that's the smallest.
    for case in program.verbs(Case::all().into_iter().rev()) {
        let mut heap = Swept::new(0);
        heap.make(case.made - case.fired);
        heap.fire(case.fired);
        heap.cancel(case.cancelled, case.from);
        heap.timers.sweep();
        say!(t, "{case}; sweep: {}; {}", heap.lists(), heap.rest());
    }
    for made in program.verbs([65_537]) {
        let mut timers = TimerHeap::new();
        let ids: Vec<_> = (0..made).map(|_| timers.push(Time::ZERO, ())).collect();
        for id in &ids[1..] {
            timers.cancel(*id);
        }
        timers.sweep();
        let (entries, slots) = (timers.scheduled(), timers.slots());
        say!(t, "{made} made, all but one cancelled; sweep: {entries} in the heap, {slots} slots");
    }
    for (made, left) in program.verbs([(2000, 0), (2000, 1), (2000, 90), (4500, 2048)]) {
        let (timers, memory) = Memory::of(|| swept(made, left));
        let kept = within(memory.in_use, KEPT + BYTES_OF_A_TIMER * isize::try_from(left)?);
        say!(t, "{made} made, all but {left} cancelled; memory in bytes after a sweep: {kept}");
        drop(timers);
    }
    Ok(())
}

/// The number of bytes that a swept heap can keep beyond its timers: the room for 200 more entries
/// and slots.
const KEPT: isize = 8 * 1024;
/// The bytes of a timer: 16 for its entry, 24 for the slot of a `usize`.
const BYTES_OF_A_TIMER: isize = 40;

/// Makes timers, cancels all but the last ones, and sweeps.
fn swept(made: usize, left: usize) -> TimerHeap<usize> {
    let mut timers = TimerHeap::new();
    let ids: Vec<_> = (0..made).map(|number| timers.push(Time::ZERO, number)).collect();
    for id in &ids[..made - left] {
        timers.cancel(*id);
    }
    timers.sweep();
    timers
}

/// An operation on a heap that's swept.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Make(usize),
    Fire(usize),
    Cancel(usize, From),
    Sweep,
}

impl Verb {
    fn random(random: &mut Random) -> Verb {
        let count = random.choose(&[1, 10, 49, 50, 51, 100, 101]);
        match random.below(5) {
            0 => Verb::Make(count),
            1 => Verb::Fire(count),
            2 => Verb::Cancel(count, random.choose(&From::ALL)),
            _ => Verb::Sweep,
        }
    }
}

trial!(
    sweeps_in_any_order,
    60,
    "Whatever is made, fired, cancelled and swept, the remaining timers work as before."
);
fn sweeps_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..16).map(|_| Verb::random(&mut random)));
    let mut heap = Swept::new(1);
    for verb in verbs {
        let did = match verb {
            Verb::Make(count) => {
                heap.make(count);
                format!("make {count} timers")
            }
            Verb::Fire(count) => format!("make {count} timers and fire {}", heap.fire(count)),
            Verb::Cancel(count, from) => format!("cancel {}", heap.cancel(count, from)),
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

/// A heap in which no cancelled timer is at the top while a timer fires, until `rest` pops all
/// timers. So it makes no difference when a `pop_due` drops cancelled timers.
struct Swept {
    timers: TimerHeap<usize>,
    made: usize,
    /// The timers that can be cancelled, with their numbers.
    ids: Vec<(TimerId, usize)>,
    /// The timers that were cancelled, whose ids must never work again.
    cancelled: Vec<TimerId>,
    /// For each timer, by its number: true if the timer should still fire.
    is_left: Vec<bool>,
}

impl Swept {
    /// Makes a heap in which this many timers, the nearest, are never cancelled.
    fn new(never_cancelled: usize) -> Self {
        let mut heap = Swept {
            timers: TimerHeap::new(),
            made: 0,
            ids: Vec::new(),
            cancelled: Vec::new(),
            is_left: vec![false],
        };
        heap.make(never_cancelled);
        heap.ids.clear();
        heap
    }

    /// Makes timers, each due later than the timers before it.
    fn make(&mut self, count: usize) {
        for _ in 0..count {
            self.made += 1;
            let when = Time::from_nanos(self.made as u64);
            self.ids.push((self.timers.push(when, self.made), self.made));
            self.is_left.push(true);
        }
    }

    /// Makes timers that are due before all others and pops them. Returns the number of popped
    /// timers.
    fn fire(&mut self, count: usize) -> usize {
        for _ in 0..count {
            self.timers.push(Time::ZERO, 0);
        }
        (0..count).filter_map(|_| self.timers.pop_due(Time::ZERO)).count()
    }

    /// Cancels timers. Returns the number of timers that had the right payload.
    fn cancel(&mut self, count: usize, from: From) -> usize {
        let count = count.min(self.ids.len());
        let at = if from == From::First { 0 } else { self.ids.len() - count };
        if from == From::Everywhere {
            self.ids.sort_by_key(|(_, number)| (number % 2, *number));
        }
        let ids: Vec<_> = self.ids.drain(at..at + count).collect();
        self.ids.sort_by_key(|(_, number)| *number);
        let mut right = 0;
        for (id, number) in ids {
            right += usize::from(self.timers.cancel(id) == Some(number));
            self.is_left[number] = false;
            self.cancelled.push(id);
        }
        right
    }

    fn lists(&self) -> String {
        format!("{} in the heap, {} slots", self.timers.scheduled(), self.timers.slots())
    }

    /// Cancels the cancelled timers once more, pops all timers that are left, and says whether
    /// these are the right timers.
    fn rest(&mut self) -> String {
        let ids = std::mem::take(&mut self.cancelled);
        let again = ids.into_iter().filter_map(|id| self.timers.cancel(id)).count();
        let count = self.timers.len();
        let popped: Vec<usize> =
            iter::from_fn(|| self.timers.pop_due(Time::from_nanos(u64::MAX))).collect();
        let order = if popped.is_sorted() { "in order" } else { "out of order" };
        let right = popped.iter().filter(|number| self.is_left[**number]).count();
        let popped = popped.len();
        format!(
            "of the {count} remaining timers, {right} fire {order}; other values: {}",
            popped - right + again
        )
    }
}
