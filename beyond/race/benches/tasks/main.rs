//! The cost of tasks: step 06's, and those of tokio, async-executor, futures, asyncio and uvloop.
//!
//! `cargo run --release -p race -- tasks` runs this and writes the tables of the book. All
//! contestants do the same, on one core, in turn; `loads.rs` says what. The head of each
//! contestant's file says what might be unfair.

mod loads;
mod local_executor;
mod local_pool;
mod local_set;
mod ours;
#[path = "../python.rs"]
mod python;
mod runtime;
#[path = "../starting.rs"]
mod starting;

use std::process::ExitCode;

use anyhow::{Result, ensure};
use kit::OneCpu;
use libtest_mimic::Trial;
use race::{BenchmarkOptions, Contestant, Figures, compete, per_operation, table};

use crate::local_executor::LocalExecutor;
use crate::local_pool::LocalPool;
use crate::local_set::LocalSet;
use crate::ours::Ours;
use crate::python::Python;
use crate::runtime::Runtime;
use crate::starting::{start, trial};

/// The contestant with which the others are compared.
const REFERENCE: &str = "tokio";
/// CPython does a tenth of the operations, since it takes ten times as long for each.
const PYTHONS_SHARE: u64 = 10;
/// A quick run does so much less.
const QUICK_SHARE: u64 = 100;

/// Does a number of operations, and returns the nanoseconds that they take.
type Run = fn(u64) -> u64;

/// A load: its name here and in `tasks.py`, what it is, the number of operations, and how each
/// runtime does it.
struct Load {
    name: &'static str,
    says: &'static str,
    count: u64,
    runtimes: [(&'static str, Run); 5],
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
                ("async-executor", |count| LocalExecutor::run(|it| loads::$name(it, count))),
                ("`LocalPool`", |count| LocalPool::run(|it| loads::$name(it, count))),
            ],
        }
    };
}

const LOADS: [Load; 10] = [
    load!(spawn_and_finish, 1_000_000, "Spawn and finish, a thousand tasks at a time"),
    load!(spawn_then_await, 500_000, "Spawn a task, then await it"),
    load!(spawn_and_join, 500_000, "Spawn a batch of a thousand, then await each"),
    load!(join_all, 100_000, "Spawn 100 000 tasks, and join all at once"),
    load!(yield_alone, 1_000_000, "One task yields, and nothing else is ready"),
    load!(
        wake_alone,
        1_000_000,
        "One task wakes itself: the same, without tokio's look at its driver"
    ),
    load!(yield_in_turn, 1_000_000, "A thousand tasks yield in turn"),
    load!(channel_of_one, 300_000, "A message to another task, with room for one"),
    load!(channel, 1_000_000, "A message to another task, 64 at a time, without a bound"),
    load!(cancel, 100_000, "Cancel a task that waits, and await its end"),
];

fn main() -> ExitCode {
    start(measure, trials)
}

/// Measures the loads, and prints a table of each.
fn measure(options: &BenchmarkOptions) -> Result<()> {
    let wanted = |load: &&Load| options.only.as_ref().is_none_or(|only| only == load.name);
    let wanted: Vec<&Load> = LOADS.iter().filter(wanted).collect();
    ensure!(!wanted.is_empty(), "no load has this name: {:?}", options.only);
    let _one_cpu = OneCpu::here();
    let mut all = Vec::new();
    for load in wanted {
        eprintln!("{}: {} rounds", load.name, options.rounds());
        let share = if options.quick { QUICK_SHARE } else { 1 };
        let figures = load.compete(options.rounds(), share)?;
        println!("\n**{}.** (`{}`)\n\n{}", load.says, load.name, table(REFERENCE, &figures));
        all.push((load.name, figures));
    }
    print_summary(&all);
    Ok(())
}

/// Prints the ratios of all loads in one table.
fn print_summary(all: &[(&str, Vec<Figures>)]) {
    let Some((_, first)) = all.first() else {
        return;
    };
    println!("\n**All of them, beside {REFERENCE}.**\n");
    let names: Vec<&str> = first.iter().map(|it| it.name).collect();
    println!("| | {} |\n| --- |{}", names.join(" | "), " ---: |".repeat(names.len()));
    for (load, figures) in all {
        let ratios: Vec<String> =
            figures.iter().map(|it| format!("{:.2}", it.ratio.median)).collect();
        println!("| `{load}` | {} |", ratios.join(" | "));
    }
}

impl Load {
    /// Lets all contestants that are at hand take turns, with a share of the operations.
    fn compete(&self, rounds: usize, share: u64) -> Result<Vec<Figures>> {
        let mut contestants = Vec::new();
        for (name, run) in self.runtimes {
            let count = (self.count / share).max(loads::BATCH);
            let run = move || Ok(per_operation(run(count), count));
            contestants.push(Contestant { name, run: Box::new(run) });
        }
        for name in ["asyncio", "uvloop"] {
            let count = (self.count / share / PYTHONS_SHARE).max(loads::BATCH);
            let Some(mut python) = Python::start("tasks.py", name)? else {
                continue;
            };
            let load = format!("{} {count}", self.name);
            let run = move || Ok(per_operation(python.run(&load)?, count));
            contestants.push(Contestant { name, run: Box::new(run) });
        }
        compete(rounds, REFERENCE, &mut contestants)
    }
}

/// Every contestant does a little of each load, which says whether its results are right.
fn trials() -> Vec<Trial> {
    let trials = LOADS.into_iter().map(|load| {
        trial(load.name, move || {
            let figures = load.compete(1, QUICK_SHARE)?;
            ensure!(figures.iter().all(|it| it.nanos.median > 0.0), "{figures:?}");
            Ok(())
        })
    });
    trials.collect()
}
