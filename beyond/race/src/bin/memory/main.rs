//! Measures the memory of waiting tasks and threads: tasks of steps 06 and 07, of tokio, and of
//! CPython.
//!
//! `cargo run --release -p race -- memory` runs this comparison and writes its table for the book.
//! Every case runs in a separate process.

mod cases;
mod usage;

use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use kit::memory::Counting;

use crate::cases::Case;
use crate::usage::{Usage, in_process, in_python};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const TASKS: usize = 100_000;
const FEW_TASKS: usize = 10_000;
/// The number of threads. Some systems don't allow many more.
const THREADS: usize = 1000;

const CASES: [(&str, &str, Case, usize); 5] = [
    ("step06_future", "step 06, on a `Future`", cases::step06_future, TASKS),
    ("tokio_oneshot", "tokio, on a oneshot channel", cases::tokio_oneshot, TASKS),
    ("step07_sleep", "step 07, in `sleep`", cases::step07_sleep, TASKS),
    ("tokio_sleep", "tokio, in `sleep`", cases::tokio_sleep, TASKS),
    ("threads", "a thread", cases::threads, THREADS),
];
const OF_PYTHON: [(&str, &str); 2] =
    [("future", "asyncio, on a `Future`"), ("sleep", "asyncio, in `sleep`")];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        [] => measure(TASKS),
        ["--quick"] => measure(FEW_TASKS),
        ["--case", case, count] => run_case(case, count),
        _ => Err(anyhow!("usage: memory [--quick]")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run_case(name: &str, count: &str) -> Result<()> {
    let case = CASES.iter().find(|(known, ..)| *known == name).context("no such case")?;
    usage::report(case.2, count.parse()?)
}

/// Measures each case with at most `most` tasks or threads and prints a table.
fn measure(most: usize) -> Result<()> {
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
