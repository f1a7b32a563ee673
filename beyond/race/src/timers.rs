//! Measures the cost of a million timers in our heap and in its alternatives: std's bare heap, a
//! tree, and tokio.
//!
//! `cargo run --release -p race -- timers` runs this comparison and writes its table for the book.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::hint::black_box;
use std::pin::Pin;
use std::task::{Context, Waker};
use std::time::Duration;

use anyhow::Result;
use step04_timers::{Time, TimerHeap};

use crate::Options;
use crate::findings::Findings;
use crate::measuring::{nanos_since, per_operation, processor_time};
use crate::plot::time;
use crate::rounds::{Contestant, Figures, compete};

const MANY: u64 = 1_000_000;

/// Returns pseudorandom deadlines within an hour. Every call returns the same deadlines in the same
/// order.
fn deadlines(count: u64) -> impl Iterator<Item = (Time, u64)> {
    let mut state = 1_u64;
    (0..count).map(move |number| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (Time::from_nanos(state % 3_600_000_000_000), number)
    })
}

/// Returns the nanoseconds of processor time per timer that `what` takes.
fn each(count: u64, what: impl FnOnce()) -> f64 {
    let began = processor_time();
    what();
    per_operation(nanos_since(began), count)
}

/// Measures our heap: pushes all timers, then pops them, earliest first.
fn heap_pops(count: u64) -> f64 {
    let mut timers = TimerHeap::new();
    each(count, || {
        for (when, value) in deadlines(count) {
            timers.push(when, value);
        }
        while let Some(value) = timers.pop_due(Time::from_nanos(u64::MAX)) {
            black_box(value);
        }
    })
}

/// Measures the same work on std's bare heap, in which the value is next to the deadline. This
/// heap's timers can't be cancelled.
fn std_heap_pops(count: u64) -> f64 {
    let mut heap = BinaryHeap::new();
    each(count, || {
        for (when, value) in deadlines(count) {
            heap.push(Reverse((when, value, value)));
        }
        while let Some(nearest) = heap.pop() {
            black_box(nearest);
        }
    })
}

fn tree_pops(count: u64) -> f64 {
    let mut tree = BTreeMap::new();
    each(count, || {
        for (when, value) in deadlines(count) {
            tree.insert((when, value), value);
        }
        while let Some(nearest) = tree.pop_first() {
            black_box(nearest);
        }
    })
}

/// Measures cancellation on our heap: pushes all timers, cancels them in the order in which they
/// were made, then checks that no timer is left.
fn heap_cancels(count: u64) -> f64 {
    let mut timers = TimerHeap::new();
    let mut ids = Vec::new();
    each(count, || {
        ids.extend(deadlines(count).map(|(when, value)| timers.push(when, value)));
        for id in ids.drain(..) {
            timers.cancel(id);
        }
        assert_eq!(timers.next_timeout(Time::ZERO), None);
    })
}

fn tree_cancels(count: u64) -> f64 {
    let mut tree = BTreeMap::new();
    let mut keys = Vec::new();
    each(count, || {
        keys.extend(deadlines(count).map(|(when, value)| {
            tree.insert((when, value), value);
            (when, value)
        }));
        for key in keys.drain(..) {
            tree.remove(&key);
        }
    })
}

/// Measures cancellation in tokio: polls each sleep once, which adds it to the timer wheel, then
/// drops all sleeps.
fn tokio_cancels(count: u64) -> f64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime");
    let _inside = runtime.enter();
    let mut sleeps: Vec<Pin<Box<tokio::time::Sleep>>> = Vec::new();
    let mut context = Context::from_waker(Waker::noop());
    each(count, || {
        for (when, _) in deadlines(count) {
            // Set each timer so far ahead that it isn't due before it's dropped.
            let duration = Duration::from_mins(1) + (when - Time::ZERO);
            let mut sleep = Box::pin(tokio::time::sleep(duration));
            assert!(sleep.as_mut().poll(&mut context).is_pending());
            sleeps.push(sleep);
        }
        sleeps.clear();
    })
}

type Contender = fn(u64) -> f64;

const POPS: [(&str, Contender); 3] =
    [("TimerHeap", heap_pops), ("BinaryHeap", std_heap_pops), ("BTreeMap", tree_pops)];
const CANCELS: [(&str, Contender); 3] =
    [("TimerHeap", heap_cancels), ("BTreeMap", tree_cancels), ("tokio", tokio_cancels)];

/// Makes all contestants take turns and adds a table that shows how our heap's time compares with
/// that of each alternative.
pub(crate) fn measure(options: &Options, findings: &mut Findings) -> Result<()> {
    findings.add(
        "\n| a million timers | `TimerHeap`, each | beside std's `BinaryHeap` alone | beside a \
         `BTreeMap` | beside tokio's sleeps |\n| --- | ---: | ---: | ---: | ---: |\n",
    );
    for (says, contenders) in [("pushed, then popped", POPS), ("pushed, then cancelled", CANCELS)] {
        eprintln!("{says}: {} rounds", options.rounds());
        let count = options.share_of(MANY);
        let mut contestants = contenders
            .map(|(name, run)| Contestant { name, run: Box::new(move || Ok(run(count))) });
        let figures = compete(options.rounds(), "TimerHeap", &mut contestants)?;
        let each = time(figures[0].nanos.median);
        let others = ["BinaryHeap", "BTreeMap", "tokio"].map(|other| beside(&figures, other));
        findings.add(&format!("| {says} | {each} | {} |\n", others.join(" | ")));
    }
    Ok(())
}

/// Formats the ratio of our time to the other contestant's time.
fn beside(figures: &[Figures], other: &str) -> String {
    let other = figures.iter().find(|it| it.name == other);
    other.map_or_else(|| "–".to_owned(), |it| format!("{:.2} times", 1.0 / it.ratio.median))
}
