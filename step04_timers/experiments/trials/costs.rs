//! Trials of the costs of the heap's operations if there are many timers.

use std::hint::black_box;
use std::time::Duration;

use kit::cost::{cpu_time_of, growth, within};
use kit::memory::Memory;
use scene::{Program, Transcript, say, trial};
use step04_timers::{Time, TimerHeap, TimerId};

/// The numbers of timers that wait in the background.
const FEW_AND_MANY: (usize, usize) = (200, 20_000);
/// The numbers of timers in the first measurement. They're smaller, because an operation that looks
/// at all timers several times would take seconds with many timers.
const VERY_FEW_AND_SOME: (usize, usize) = (20, 1000);
/// The numbers of cancelled timers that are swept.
const FEW_AND_MANY_CANCELLED: (usize, usize) = (200, 6000);
/// The number of operations that are measured together.
const OPERATIONS: usize = 100;
/// The factor by which the CPU time may grow. With a hundred times as many timers, a search takes a
/// hundred times as long, and a descent into a heap less than twice as long. A busy machine adds to
/// both times.
const ALLOWED: f64 = 15.0;
/// The number of operations out of [`OPERATIONS`] that may change the size of the heap's memory.
/// Such a change can copy every entry, so a heap that makes one in each operation gets slower the
/// more timers are waiting.
const ALLOWED_CHANGES: usize = 10;

/// The timers to operate on, in addition to the timers that wait in the background. A quarter of
/// the background timers are cancelled: not the nearest ones, and too few for a sweep.
#[derive(Debug, Clone, Copy)]
enum Also {
    NoTimer,
    DueNow,
    DueLater,
}

trial!(cancelling_among_many, 1, "A cancel costs about the same, however many timers are waiting.");
fn cancelling_among_many(_: &Program, t: Transcript) -> anyhow::Result<()> {
    say!(t, "{OPERATIONS} calls to cancel");
    say_growth(t, Also::DueLater, |timers, ids| {
        for id in ids {
            black_box(timers.cancel(*id));
        }
    });
    say_changes(t, "cancel", |timers, id| {
        black_box(timers.cancel(id));
    });
    Ok(())
}

trial!(popping_among_many, 1, "A pop_due costs about the same, however many timers are waiting.");
fn popping_among_many(_: &Program, t: Transcript) -> anyhow::Result<()> {
    let _ = say_costs_of_popping(t);
    Ok(())
}

/// Returns `None` as soon as a cost grows more than allowed: a body that's so slow would need more
/// than the trial's time for all measurements, and would only be told that it's still running.
fn say_costs_of_popping(t: Transcript) -> Option<()> {
    say!(t, "{OPERATIONS} calls to pop_due, each with a timer due");
    say_growth(t, Also::DueNow, pop_due)?;
    say!(t, "{OPERATIONS} calls to pop_due, with no timer due");
    say_growth(t, Also::NoTimer, pop_due)?;
    say!(t, "{OPERATIONS} calls to pop_due, each after the nearest timer was cancelled");
    say_growth(t, Also::DueNow, |timers, ids| {
        for id in ids {
            timers.cancel(*id);
            black_box(timers.pop_due(Time::ZERO));
        }
    })?;
    say!(t, "{OPERATIONS} calls to pop_due, with every timer due and a push after each call");
    say_growth_by(t, |numbers| growth(numbers, with_all_due))?;
    say_changes(t, "pop_due", |timers, _| {
        black_box(timers.pop_due(Time::ZERO));
    });
    Some(())
}

/// Measures calls to `pop_due` while this many timers are due.
fn with_all_due(waiting: usize) -> Duration {
    let mut timers = TimerHeap::new();
    for _ in 0..waiting {
        timers.push(Time::ZERO, ());
    }
    time_of(|| {
        for _ in 0..OPERATIONS {
            black_box(timers.pop_due(Time::ZERO));
            timers.push(Time::ZERO, ());
        }
    })
}

fn pop_due(timers: &mut TimerHeap<()>, _: &[TimerId]) {
    for _ in 0..OPERATIONS {
        black_box(timers.pop_due(Time::ZERO));
    }
}

trial!(
    sweeping_seldom,
    1,
    "A sweep that isn't worthwhile looks at no entry, and any other sweep looks at each entry only a few times."
);
fn sweeping_seldom(_: &Program, t: Transcript) -> anyhow::Result<()> {
    say!(t, "{OPERATIONS} calls to sweep, with few timers cancelled");
    say_growth(t, Also::NoTimer, |timers, _| {
        for _ in 0..OPERATIONS {
            timers.sweep();
        }
    });
    say_changes(t, "sweep", |timers, _| timers.sweep());
    say!(t, "one sweep, with nearly all timers cancelled");
    let (few, many) = FEW_AND_MANY_CANCELLED;
    let grown = growth(FEW_AND_MANY_CANCELLED, |cancelled| {
        let mut timers = TimerHeap::new();
        let ids: Vec<TimerId> = (0..cancelled).map(|_| timers.push(Time::ZERO, ())).collect();
        timers.push(Time::ZERO, ());
        for id in ids {
            timers.cancel(id);
        }
        time_of(|| timers.sweep())
    });
    let factor = u32::try_from(many / few)?;
    say_cost(t, FEW_AND_MANY_CANCELLED, "for each timer, ", grown / f64::from(factor));
    Ok(())
}

trial!(
    asking_among_many,
    1,
    "A next_timeout costs about the same, however many timers are waiting."
);
fn asking_among_many(_: &Program, t: Transcript) -> anyhow::Result<()> {
    say!(t, "{OPERATIONS} calls to next_timeout");
    say_growth(t, Also::NoTimer, |timers, _| {
        for _ in 0..OPERATIONS {
            black_box(timers.next_timeout(Time::ZERO));
        }
    });
    say!(t, "{OPERATIONS} calls to next_timeout, each after the nearest timer was cancelled");
    say_growth(t, Also::DueNow, |timers, ids| {
        for id in ids {
            timers.cancel(*id);
            black_box(timers.next_timeout(Time::ZERO));
        }
    });
    say_changes(t, "next_timeout", |timers, _| {
        black_box(timers.next_timeout(Time::ZERO));
    });
    Ok(())
}

/// Says whether the CPU time of some operations grows more than allowed with the number of timers.
/// Returns `None` if it does.
fn say_growth(
    t: Transcript,
    also: Also,
    operations: fn(&mut TimerHeap<()>, &[TimerId]),
) -> Option<()> {
    say_growth_by(t, |numbers| growth_of(numbers, also, operations))
}

fn say_growth_by(t: Transcript, growth_of: impl Fn((usize, usize)) -> f64) -> Option<()> {
    let mut numbers = VERY_FEW_AND_SOME;
    let mut grown = growth_of(numbers).round();
    if grown <= ALLOWED {
        numbers = FEW_AND_MANY;
        grown = growth_of(numbers).round();
    }
    say_cost(t, numbers, "", grown);
    (grown <= ALLOWED).then_some(())
}

fn growth_of(
    numbers: (usize, usize),
    also: Also,
    operations: fn(&mut TimerHeap<()>, &[TimerId]),
) -> f64 {
    let mut timers = TimerHeap::new();
    growth(numbers, |waiting| {
        while timers.len() < waiting {
            let forever = Time::from_nanos(u64::MAX);
            let ids: Vec<TimerId> = (0..4).map(|_| timers.push(forever, ())).collect();
            timers.cancel(ids[3]);
        }
        let mut push = |when| (0..OPERATIONS).map(|_| timers.push(when, ())).collect();
        let ids: Vec<TimerId> = match also {
            Also::NoTimer => Vec::new(),
            Also::DueNow => push(Time::ZERO),
            Also::DueLater => push(Time::from_nanos(u64::MAX)),
        };
        time_of(|| operations(&mut timers, &ids))
    })
}

fn time_of(f: impl FnOnce()) -> Duration {
    cpu_time_of(f).map_or(Duration::MAX, |((), time)| time)
}

fn say_cost(t: Transcript, (few, many): (usize, usize), each: &str, grown: f64) {
    let cost = within(grown.round(), ALLOWED);
    say!(t, "  {each}CPU time with {many} timers, as a multiple of the time with {few}: {cost}");
}

/// Says whether more operations than allowed change the size of the heap's memory, if a timer is
/// pushed after each of them. Each operation is told of another timer, all of which are due.
fn say_changes(t: Transcript, name: &str, operation: fn(&mut TimerHeap<()>, TimerId)) {
    let mut timers = TimerHeap::new();
    let ids: Vec<TimerId> = (0..10 * OPERATIONS).map(|_| timers.push(Time::ZERO, ())).collect();
    let changes = ids.iter().take(OPERATIONS).filter(|id| {
        let ((), memory) = Memory::of(|| operation(&mut timers, **id));
        timers.push(Time::ZERO, ());
        memory.in_use != 0
    });
    let changes = within(changes.count(), ALLOWED_CHANGES);
    say!(t, "{OPERATIONS} calls to {name}, with a push after each call");
    say!(t, "  calls that change the size of the heap's memory: {changes}");
}
