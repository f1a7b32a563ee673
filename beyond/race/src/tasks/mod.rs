//! Measures the cost of tasks: step 06's, tokio's and asyncio's.
//!
//! `cargo run --release -p race -- tasks` runs this comparison and writes its tables for the book.
//! The contestants take turns at the same work on one core. The loads are in `loads.rs`. The docs
//! at the top of each contestant's file say what might be unfair.

mod loads;
mod local_set;
mod ours;
mod runtime;

use anyhow::{Result, ensure};
use kit::OneCpu;

use crate::Options;
use crate::findings::Findings;
use crate::measuring::per_operation;
use crate::python::Python;
use crate::rounds::{Contestant, Figures, compete, table};
use crate::tasks::local_set::LocalSet;
use crate::tasks::ours::Ours;
use crate::tasks::runtime::Runtime;

pub(crate) use crate::tasks::runtime::Countdown;

/// The contestant that all other contestants are compared with.
const REFERENCE: &str = "tokio";
/// CPython does a tenth of the operations, since each operation takes it more than ten times as
/// long.
const PYTHONS_SHARE: u64 = 10;

/// Carries out a number of operations and returns their processor time in nanoseconds.
type Run = fn(u64) -> u64;

/// A load: its name here and in `tasks.py`, its description, the number of operations, and each
/// runtime's function.
struct Load {
    name: &'static str,
    says: &'static str,
    count: u64,
    runtimes: [(&'static str, Run); 3],
}

macro_rules! load {
    ($name:ident, $count:literal, $says:literal) => {
        Load {
            name: stringify!($name),
            says: $says,
            count: $count,
            runtimes: [
                ("step 06", |count| Ours::run(|it| loads::$name(it, count))),
                ("tokio", |count| LocalSet::<false>::run(|it| loads::$name(it, count))),
                ("tokio, in `block_on`", |count| {
                    LocalSet::<true>::run(|it| loads::$name(it, count))
                }),
            ],
        }
    };
}

const LOADS: [Load; 6] = [
    load!(spawn_then_await, 500_000, "Spawn a task, then await it"),
    load!(spawn_and_join, 500_000, "Spawn a batch of a thousand, then await each"),
    load!(yield_in_turn, 1_000_000, "A thousand tasks yield in turn"),
    load!(
        channel_of_one,
        300_000,
        "A message to another task, with room for one: ours on a `Future`, tokio's by \
         `mpsc::channel(1)`, asyncio's by `Queue(1)`"
    ),
    load!(
        one_message,
        300_000,
        "A task's only message to another: ours is a `Future`'s result, tokio's goes through a \
         `oneshot::channel`"
    ),
    load!(cancel, 100_000, "Cancel a task that waits, and await its end"),
];

/// Measures the selected loads and adds a table for each load, then a summary.
pub(crate) fn measure(options: &Options, findings: &mut Findings) -> Result<()> {
    let wanted: Vec<&Load> = LOADS.iter().filter(|load| options.wants(load.name)).collect();
    ensure!(!wanted.is_empty(), "no load has this name: {:?}", options.only);
    let _one_cpu = OneCpu::here();
    let mut all = Vec::new();
    for load in wanted {
        eprintln!("{}: {} rounds", load.name, options.rounds());
        let figures = load.compete(options)?;
        let table = table(REFERENCE, &figures);
        findings.add(&format!("\n**{}.** (`{}`)\n\n{table}\n", load.says, load.name));
        all.push((load.name, figures));
    }
    findings.add(&summary(&all));
    Ok(())
}

/// Returns a table with the ratios from all loads.
fn summary(all: &[(&str, Vec<Figures>)]) -> String {
    let names = all.iter().flat_map(|(_, figures)| figures).map(|it| it.name);
    let names: Vec<&str> = names.take(all.first().map_or(0, |(_, first)| first.len())).collect();
    let rows = all.iter().map(|(load, figures)| {
        let ratios = figures.iter().map(|it| format!("{:.2}", it.ratio.median));
        format!("| `{load}` | {} |\n", ratios.collect::<Vec<_>>().join(" | "))
    });
    format!(
        "\n**All of them, beside {REFERENCE}.**\n\n| | {} |\n| --- |{}\n{}",
        names.join(" | "),
        " ---: |".repeat(names.len()),
        rows.collect::<String>()
    )
}

impl Load {
    /// Makes all available contestants take turns and returns their figures.
    fn compete(&self, options: &Options) -> Result<Vec<Figures>> {
        let mut contestants = Vec::new();
        for (name, run) in self.runtimes {
            let count = options.share_of(self.count).max(loads::BATCH);
            let run = move || Ok(per_operation(run(count), count));
            contestants.push(Contestant { name, run: Box::new(run) });
        }
        if let Some(mut python) = Python::start("tasks.py")? {
            let count = (options.share_of(self.count) / PYTHONS_SHARE).max(loads::BATCH);
            let load = format!("{} {count}", self.name);
            let run = move || Ok(per_operation(python.run(&load)?, count));
            contestants.push(Contestant { name: "asyncio", run: Box::new(run) });
        }
        compete(options.rounds(), REFERENCE, &mut contestants)
    }
}
