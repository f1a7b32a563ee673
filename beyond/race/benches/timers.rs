//! The cost of a million timers in our heap and in its alternatives: std's heap alone, a tree,
//! tokio.
//!
//! `cargo run --release -p race -- timers` runs this and writes the table of the book.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

mod processor_time;
mod ratio;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::hint::black_box;
use std::pin::Pin;
use std::task::{Context, Waker};
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode, criterion_group, criterion_main};
use processor_time::ProcessorTime;
use race::processor_time as now;
use ratio::{Ratio, in_turn};
use step04_timers::{Time, TimerHeap};

const MANY: u32 = 1_000_000;

/// Makes deadlines within an hour, in no order, but the same ones each time.
fn deadlines() -> impl Iterator<Item = (Time, u64)> {
    let mut state = 1_u64;
    (0..u64::from(MANY)).map(move |number| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (Time::from_nanos(state % 3_600_000_000_000), number)
    })
}

/// Returns the time that `what` takes per timer.
fn each(what: impl FnOnce()) -> Duration {
    let began = now();
    what();
    now().saturating_sub(began) / MANY
}

/// Our heap: pushes all timers, then pops them all, nearest first.
fn heap_pops() -> Duration {
    let mut timers = TimerHeap::new();
    each(|| {
        for (when, value) in deadlines() {
            timers.push(when, value);
        }
        while let Some(value) = timers.pop_due(Time::from_nanos(u64::MAX)) {
            black_box(value);
        }
    })
}

/// std's heap alone, with the value next to the deadline. Its timers can't be cancelled.
fn std_heap_pops() -> Duration {
    let mut heap = BinaryHeap::new();
    each(|| {
        for (when, value) in deadlines() {
            heap.push(Reverse((when, value, value)));
        }
        while let Some(nearest) = heap.pop() {
            black_box(nearest);
        }
    })
}

fn tree_pops() -> Duration {
    let mut tree = BTreeMap::new();
    each(|| {
        for (when, value) in deadlines() {
            tree.insert((when, value), value);
        }
        while let Some(nearest) = tree.pop_first() {
            black_box(nearest);
        }
    })
}

/// Our heap: pushes all timers, cancels them in the order in which they were made, then looks for
/// one.
fn heap_cancels() -> Duration {
    let mut timers = TimerHeap::new();
    let mut ids = Vec::with_capacity(MANY as usize);
    each(|| {
        ids.extend(deadlines().map(|(when, value)| timers.push(when, value)));
        for id in ids.drain(..) {
            timers.cancel(id);
        }
        assert_eq!(timers.next_timeout(Time::ZERO), None);
    })
}

fn tree_cancels() -> Duration {
    let mut tree = BTreeMap::new();
    let mut keys = Vec::with_capacity(MANY as usize);
    each(|| {
        keys.extend(deadlines().map(|(when, value)| {
            tree.insert((when, value), value);
            (when, value)
        }));
        for key in keys.drain(..) {
            tree.remove(&key);
        }
    })
}

/// tokio's sleeps: polls each one once, which puts it into the wheel, then drops them.
fn tokio_cancels() -> Duration {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime");
    let _inside = runtime.enter();
    let mut sleeps: Vec<Pin<Box<tokio::time::Sleep>>> = Vec::with_capacity(MANY as usize);
    let mut context = Context::from_waker(Waker::noop());
    each(|| {
        for (when, _) in deadlines() {
            // So far ahead that none is due before it's dropped.
            let duration = Duration::from_mins(1) + (when - Time::ZERO);
            let mut sleep = Box::pin(tokio::time::sleep(duration));
            assert!(sleep.as_mut().poll(&mut context).is_pending());
            sleeps.push(sleep);
        }
        sleeps.clear();
    })
}

type Contender = fn() -> Duration;

fn times(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("million");
    group.sampling_mode(SamplingMode::Flat);
    for (what, contender) in [("pop", heap_pops as Contender), ("cancel", heap_cancels)] {
        group.bench_function(BenchmarkId::new("TimerHeap", what), |bencher| {
            bencher.iter_custom(|rounds| (0..rounds).map(|_| contender()).sum());
        });
    }
    group.finish();
}

fn ratios(criterion: &mut Criterion<Ratio>) {
    let mut group = criterion.benchmark_group("million_ratio");
    group.sampling_mode(SamplingMode::Flat);
    let pairs: [(&str, &str, Contender, Contender); 4] = [
        ("BinaryHeap", "pop", heap_pops, std_heap_pops),
        ("BTreeMap", "pop", heap_pops, tree_pops),
        ("BTreeMap", "cancel", heap_cancels, tree_cancels),
        ("tokio", "cancel", heap_cancels, tokio_cancels),
    ];
    for (other, what, one, another) in pairs {
        group.bench_function(BenchmarkId::new(other, what), |bencher| {
            in_turn(bencher, one, another);
        });
    }
    group.finish();
}

criterion_group! {
    name = of_times;
    config = processor_time::settings().sample_size(15).measurement_time(Duration::from_millis(1));
    targets = times
}
criterion_group! {
    name = of_ratios;
    config = ratio::settings();
    targets = ratios
}
criterion_main!(of_times, of_ratios);
