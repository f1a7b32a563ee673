//! `cargo run --release -p race -- waiting`: measures, and writes the book's tables and plots.

#![forbid(unsafe_code)]

mod estimates;
mod plot;
mod report;

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use lexopt::Arg;

use crate::estimates::Estimates;

const HELP: &str = "\
Measures what the layers cost on this machine, with criterion, and writes the book's tables and plots.

    cargo run --release -p race -- waiting    one ready among N idle descriptors: epoll, poll, select
    cargo run --release -p race -- timers     a million timers: our heap, std's, a tree, tokio
    cargo run --release -p race -- wakes      a wake and its answer: eventfd, socketpair, bare calls
    cargo run --release -p race -- turns      a tick, a timer, a task, a yield

The figures go into book/measured/ and book/pictures/; `git restore book` brings the book's own back.
The servers are loaded by `python3 race/load_check.py -- SERVER`.
";

/// The number of descriptors that we need, which is enough for a thousand pipes. Ten thousand pipes
/// are measured only if the limit allows it.
const DESCRIPTORS: u64 = 4096;

/// A race: the name of its benchmark, and the function that writes its table.
type Race = (&'static str, fn(&Path, &Estimates) -> Result<()>);

const RACES: [Race; 4] = [
    ("waiting", report::waiting),
    ("timers", report::timers),
    ("wakes", report::wakes),
    ("turns", report::turns),
];

fn main() -> ExitCode {
    let race = match parse(lexopt::Parser::from_env()) {
        Ok(Some(race)) => race,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("error: {error}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match run(race) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Parses the command line. Returns `None` if it asks for help.
fn parse(mut arguments: lexopt::Parser) -> Result<Option<Race>, lexopt::Error> {
    let mut race = None;
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Value(word) if race.is_none() => {
                let known = RACES.into_iter().find(|(name, _)| word == *name);
                race = Some(known.ok_or(Arg::Value(word).unexpected())?);
            }
            other => return Err(other.unexpected()),
        }
    }
    race.map(Some).ok_or_else(|| "which race?".into())
}

fn run((name, report): Race) -> Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.parent().context("race/ is in the workbook")?;
    let limit = race::raise_descriptor_limit();
    ensure!(
        limit >= DESCRIPTORS,
        "{DESCRIPTORS} descriptors are needed, and `ulimit -Hn` allows {limit}"
    );
    let measured = root.join("target/race").join(name);
    bench(root, &measured, name)?;
    report(root, &Estimates::in_dir(&measured))
}

/// Runs one of the benchmarks, with criterion's files in `measured`.
fn bench(root: &Path, measured: &Path, name: &str) -> Result<()> {
    // Otherwise figures of an earlier run could be mistaken for those of this one.
    if measured.exists() {
        std::fs::remove_dir_all(measured).context("clear the earlier figures")?;
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["bench", "--quiet", "-p", "race", "--bench", name]);
    let status = command.current_dir(root).env("CRITERION_HOME", measured).status();
    ensure!(status.context("run cargo bench")?.success(), "the benchmark failed");
    Ok(())
}
