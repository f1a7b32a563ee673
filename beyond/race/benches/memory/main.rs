//! The memory of tasks that wait, and of threads: step 06's and 07's tasks, tokio's, CPython's.
//!
//! `cargo run --release -p race -- memory` runs this and writes the table of the book. Every case
//! is a process of its own.

mod cases;
#[path = "../starting.rs"]
mod starting;
mod usage;

use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use kit::memory::Counting;
use libtest_mimic::Trial;
use race::BenchmarkOptions;

use crate::cases::Case;
use crate::starting::{start, trial};
use crate::usage::{Usage, in_process, in_python};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const TASKS: usize = 100_000;
const FEW_TASKS: usize = 10_000;
/// More threads than this are too many for some systems.
const THREADS: usize = 1000;

const CASES: [(&str, &str, Case, usize); 7] = [
    ("step06_future", "step 06, on a `Future`", cases::step06_future, TASKS),
    ("tokio_oneshot", "tokio, on a oneshot channel", cases::tokio_oneshot, TASKS),
    ("local_executor", "async-executor, on a oneshot channel", cases::local_executor, TASKS),
    ("local_pool", "`LocalPool`, on a oneshot channel", cases::local_pool, TASKS),
    ("step07_sleep", "step 07, in `sleep`", cases::step07_sleep, TASKS),
    ("tokio_sleep", "tokio, in `sleep`", cases::tokio_sleep, TASKS),
    ("threads", "a thread", cases::threads, THREADS),
];
const OF_PYTHON: [(&str, &str); 2] =
    [("future", "asyncio, on a `Future`"), ("sleep", "asyncio, in `sleep`")];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, option, case, count] = &arguments[..]
        && option == "--case"
    {
        return match run_case(case, count) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error:#}");
                ExitCode::FAILURE
            }
        };
    }
    start(measure, trials)
}

fn run_case(name: &str, count: &str) -> Result<()> {
    let case = CASES.iter().find(|(known, ..)| *known == name).context("no such case")?;
    usage::report(case.2, count.parse()?)
}

/// Measures all cases, and prints a table.
fn measure(options: &BenchmarkOptions) -> Result<()> {
    let most = if options.quick { FEW_TASKS } else { TASKS };
    println!(
        "\n| each waits | allocated | in RAM | reserved \
         | 10 000 in RAM | 100 000 in RAM | 100 000 reserved |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, says, _, count) in CASES {
        println!("| {says} {}", row(&in_process(name, count.min(most))?));
    }
    for (kind, says) in OF_PYTHON {
        if let Some(usage) = in_python(kind, most)? {
            println!("| {says} {}", row(&usage));
        }
    }
    Ok(())
}

fn row(usage: &Usage) -> String {
    let Usage { reserved, resident, allocated } = *usage;
    let allocated = allocated.map_or_else(
        || "–".to_owned(),
        |(bytes, blocks)| format!("{bytes:.0} bytes in {blocks:.1} blocks"),
    );
    let [small, large, address_space] =
        [resident * 1e4, resident * 1e5, reserved * 1e5].map(|bytes| bytes / 1e6);
    format!(
        "| {allocated} | {resident:.0} bytes | {reserved:.0} bytes \
         | {small:.1} MB | {large:.0} MB | {address_space:.0} MB |"
    )
}

/// Each case works with a few, which take more than nothing and less than a hundred times too much.
fn trials() -> Vec<Trial> {
    let trials = CASES.into_iter().map(|(name, ..)| {
        trial(name, move || {
            let usage = in_process(name, 100)?;
            let (bytes, blocks) = usage.allocated.context("its allocator counts")?;
            ensure!((8.0..20_000.0).contains(&bytes) && blocks > 0.0, "{usage:?}");
            Ok(())
        })
    });
    let of_python = OF_PYTHON.into_iter().map(|(kind, _)| {
        trial(&format!("asyncio_{kind}"), move || {
            // Without python3, nothing can be wrong with it.
            let usage = in_python(kind, FEW_TASKS)?;
            ensure!(usage.is_none_or(|it| it.resident > 100.0), "pages of ten thousand tasks");
            Ok(())
        })
    });
    trials.chain(of_python).collect()
}
