//! `cargo run --release -p race -- waiting`: measures, and writes the book's tables and plots.

#![forbid(unsafe_code)]

mod estimates;
mod plot;
mod report;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use lexopt::{Arg, ValueExt};

use crate::estimates::Estimates;

const HELP: &str = "\
Measures what the layers cost on this machine, and writes the book's tables and plots.

With criterion:

    cargo run --release -p race -- waiting    one ready among N idle descriptors: epoll, poll, select
    cargo run --release -p race -- timers     a million timers: our heap, std's, a tree, tokio
    cargo run --release -p race -- wakes      a wake and its answer: eventfd, socketpair, bare calls
    cargo run --release -p race -- turns      a tick, a timer, a task, a yield

Without criterion, in rounds in which all contestants take turns:

    cargo run --release -p race -- tasks      step 06's tasks, tokio's, async-executor's, futures',
                                              asyncio's, and uvloop's if target/race/python has it
    cargo run --release -p race -- tasks LOAD only one of the loads
    cargo run --release -p race -- event_loop step 07's loop and tokio: ticks, timers, wakes,
                                              waiting for many, locks, queues
    cargo run --release -p race -- laws       Little's, N / R, Amdahl's: formula, simulated, measured
    cargo run --release -p race -- echo       the servers of steps 05 to 07, tokio, bare epoll
    cargo run --release -p race -- lines      lines read by the library's StreamReader, tokio, std, asyncio
    cargo run --release -p race -- files      static files over HTTP/1.1: ours, hyper, and
                                              nginx if it's installed
    cargo run --release -p race -- files SIZE only '1 KiB', '64 KiB' or '5 MiB'
    cargo run --release -p race -- memory     tasks that wait, and threads

With --quick these take seconds, and their figures are good for nothing.

    python3 -m venv target/race/python && target/race/python/bin/pip install uvloop

The figures go into book/measured/ and book/pictures/; `git restore book` brings the book's own back.
The servers are loaded by `python3 beyond/race/load_check.py -- SERVER`.
";

/// The number of descriptors that we need, which is enough for a thousand pipes. Ten thousand pipes
/// are measured only if the limit allows it.
const DESCRIPTORS: u64 = 4096;

/// A race: the name of its benchmark, and where its table comes from.
type Race = (&'static str, Tables);

#[derive(Clone, Copy)]
enum Tables {
    /// From criterion's files, by this function.
    Criterion(fn(&Path, &Estimates) -> Result<()>),
    /// From the benchmark itself, which measures this.
    Printed(&'static str),
}

const RACES: [Race; 11] = [
    ("waiting", Tables::Criterion(report::waiting)),
    ("timers", Tables::Criterion(report::timers)),
    ("wakes", Tables::Criterion(report::wakes)),
    ("turns", Tables::Criterion(report::turns)),
    ("tasks", Tables::Printed("Medians of processor time")),
    ("event_loop", Tables::Printed("Medians of processor time")),
    ("laws", Tables::Printed("Times")),
    ("echo", Tables::Printed("Medians of the server's processor time")),
    ("lines", Tables::Printed("Medians of the reader's processor time")),
    (
        "files",
        Tables::Printed("Medians of the server's processor time, and of the time that passes"),
    ),
    ("memory", Tables::Printed("Memory")),
];

fn main() -> ExitCode {
    let (race, options) = match parse(lexopt::Parser::from_env()) {
        Ok(Some(parsed)) => parsed,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("error: {error}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match run(race, &options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Parses the command line: a race, and the options of one that prints its tables. Returns `None`
/// if it asks for help.
fn parse(mut arguments: lexopt::Parser) -> Result<Option<(Race, Vec<String>)>, lexopt::Error> {
    let mut race = None;
    let mut options = Vec::new();
    while let Some(argument) = arguments.next()? {
        match (argument, race) {
            (Arg::Short('h') | Arg::Long("help"), _) => return Ok(None),
            (Arg::Value(word), None) => {
                let known = RACES.into_iter().find(|(name, _)| word == *name);
                race = Some(known.ok_or(Arg::Value(word).unexpected())?);
            }
            (Arg::Long("quick"), Some((_, Tables::Printed(_)))) => options.push("--quick".into()),
            (Arg::Value(part), Some(("tasks" | "event_loop" | "files", _))) => {
                options.push(part.string()?);
            }
            (other, _) => return Err(other.unexpected()),
        }
    }
    race.map(|race| Some((race, options))).ok_or_else(|| "which race?".into())
}

fn run((name, tables): Race, options: &[String]) -> Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().nth(2).context("race is in the workbook")?;
    match tables {
        Tables::Criterion(report) => {
            let limit = race::raise_descriptor_limit();
            ensure!(
                limit >= DESCRIPTORS,
                "{DESCRIPTORS} descriptors are needed, and `ulimit -Hn` allows {limit}"
            );
            let measured = root.join("target/race").join(name);
            bench(root, &measured, name)?;
            report(root, &Estimates::in_dir(&measured))
        }
        Tables::Printed(measure) => {
            let tables = print_tables(root, name, options)?;
            // A part of the figures, or those of a quick run, don't belong in the book.
            match (options.is_empty(), name) {
                (false, _) => Ok(()),
                (true, "laws") => report::laws(root, name, measure, &tables),
                (true, _) => report::printed(root, name, measure, &tables),
            }
        }
    }
}

/// Runs a benchmark that prints its tables, and passes them on as they come. Returns all of them.
fn print_tables(root: &Path, name: &str, options: &[String]) -> Result<String> {
    let mut command = cargo_bench(root, name);
    command.arg("--").args(options).stdout(Stdio::piped());
    let mut benchmark = command.spawn().context("run cargo bench")?;
    let mut tables = String::new();
    for line in BufReader::new(benchmark.stdout.take().context("its output")?).lines() {
        let line = line.context("read the tables")?;
        println!("{line}");
        tables += &line;
        tables.push('\n');
    }
    ensure!(benchmark.wait()?.success(), "the benchmark failed");
    Ok(tables)
}

/// Runs one of the benchmarks, with criterion's files in `measured`.
fn bench(root: &Path, measured: &Path, name: &str) -> Result<()> {
    // Otherwise figures of an earlier run could be mistaken for those of this one.
    if measured.exists() {
        std::fs::remove_dir_all(measured).context("clear the earlier figures")?;
    }
    let status = cargo_bench(root, name).env("CRITERION_HOME", measured).status();
    ensure!(status.context("run cargo bench")?.success(), "the benchmark failed");
    Ok(())
}

fn cargo_bench(root: &Path, name: &str) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["bench", "--quiet", "-p", "race", "--bench", name]).current_dir(root);
    command
}
