//! `cargo run --release -p race -- waiting`: runs a race and writes its tables and plots for the
//! book.

#![forbid(unsafe_code)]

mod echo;
mod event_loop;
mod files;
mod findings;
mod from_scratch;
mod laws;
mod lines;
mod measuring;
mod memory;
mod on_tokio;
mod pipes;
mod plot;
mod python;
mod rounds;
mod serving;
mod tasks;
mod timers;
mod waiting;
mod wakes;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use lexopt::{Arg, ValueExt};

use crate::findings::Findings;

const HELP: &str = "\
Measures what the layers cost on this machine, and writes the book's tables and plots.

    cargo run --release -p race -- waiting    one ready among N idle descriptors: epoll, poll, select
    cargo run --release -p race -- timers     a million timers: our heap, std's, a tree, tokio
    cargo run --release -p race -- wakes      a wake and its answer: eventfd, socketpair, bare calls
    cargo run --release -p race -- tasks      step 06's tasks, tokio's, asyncio's
    cargo run --release -p race -- tasks LOAD only one of the loads
    cargo run --release -p race -- event_loop step 07's loop and tokio: ticks, timers, sleepers, wakes
    cargo run --release -p race -- laws       Little's, N / R, Amdahl's: formula, simulated, measured
    cargo run --release -p race -- echo       the servers of steps 05 to 07, tokio, bare epoll
    cargo run --release -p race -- lines      lines read by the library's StreamReader, tokio, std, asyncio
    cargo run --release -p race -- files      static files over HTTP/1.1: ours, hyper, and
                                              nginx if it's installed
    cargo run --release -p race -- files SIZE only '1 KiB', '64 KiB' or '5 MiB'
    cargo run --release -p race -- from_scratch
                                              spawn, sleep and echo: a loop in one file, ours, tokio
    cargo run --release -p race -- memory     tasks that wait, and threads

With --quick these take seconds, and their figures are good for nothing.

The figures go into book/measured/ and book/pictures/; `git restore book` brings the book's own back.
The servers are loaded by `python3 beyond/race/load_check.py -- SERVER`.
";

/// A race: its name, the opening words of the page with the race's tables, and the function that
/// runs the race.
struct Race {
    name: &'static str,
    says: &'static str,
    measure: fn(&Options, &mut Findings) -> Result<()>,
}

const PROCESSOR_TIME: &str = "Medians of processor time";

const RACES: [Race; 11] = [
    Race { name: "waiting", says: PROCESSOR_TIME, measure: waiting::measure },
    Race { name: "timers", says: PROCESSOR_TIME, measure: timers::measure },
    Race { name: "wakes", says: PROCESSOR_TIME, measure: wakes::measure },
    Race { name: "tasks", says: PROCESSOR_TIME, measure: tasks::measure },
    Race { name: "event_loop", says: PROCESSOR_TIME, measure: event_loop::measure },
    Race { name: "laws", says: "Times", measure: laws::measure },
    Race { name: "echo", says: "Medians of the server's processor time", measure: echo::measure },
    Race { name: "lines", says: "Medians of the reader's processor time", measure: lines::measure },
    Race {
        name: "files",
        says: "Medians of the server's processor time, and of the time that passes",
        measure: files::measure,
    },
    Race { name: "from_scratch", says: PROCESSOR_TIME, measure: from_scratch::measure },
    Race { name: "memory", says: "Memory", measure: memory::measure },
];

/// The options of a race.
#[derive(Debug, Default)]
struct Options {
    /// True for a short run, which checks only that everything works.
    quick: bool,
    /// The beginning of the names of the parts to run, or `None` to run all parts.
    only: Option<String>,
}

impl Options {
    /// Returns the number of rounds in which the contestants take turns.
    fn rounds(&self) -> usize {
        if self.quick { 1 } else { 11 }
    }

    /// Returns the number of operations: `count`, or a hundredth of it in a quick run.
    fn share_of(&self, count: u64) -> u64 {
        if self.quick { count / 100 } else { count }
    }

    /// Returns true if the options select this part.
    fn wants(&self, part: &str) -> bool {
        self.only.as_deref().is_none_or(|only| part.starts_with(only))
    }
}

fn main() -> ExitCode {
    let done = match lines::writer_in_this_process() {
        Some(written) => written,
        None => match parse(lexopt::Parser::from_env()) {
            Ok(Some((race, options))) => run(race, &options),
            Ok(None) => {
                print!("{HELP}");
                Ok(())
            }
            Err(error) => {
                eprintln!("error: {error}\n\n{HELP}");
                return ExitCode::from(2);
            }
        },
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Parses the command line. Returns `None` if the user asks for help.
fn parse(mut arguments: lexopt::Parser) -> Result<Option<(&'static Race, Options)>, lexopt::Error> {
    let mut race: Option<&Race> = None;
    let mut options = Options::default();
    while let Some(argument) = arguments.next()? {
        match (argument, race.map(|race| race.name)) {
            (Arg::Short('h') | Arg::Long("help"), _) => return Ok(None),
            (Arg::Value(word), None) => {
                let known = RACES.iter().find(|race| word == race.name);
                race = Some(known.ok_or(Arg::Value(word).unexpected())?);
            }
            (Arg::Long("quick"), Some(_)) => options.quick = true,
            (Arg::Value(part), Some("tasks" | "event_loop" | "files")) => {
                options.only = Some(part.string()?);
            }
            (other, _) => return Err(other.unexpected()),
        }
    }
    race.map(|race| Some((race, options))).ok_or_else(|| "which race?".into())
}

fn run(race: &Race, options: &Options) -> Result<()> {
    let mut findings = Findings::default();
    (race.measure)(options, &mut findings)?;
    // The figures of a part or of a quick run don't belong in the book.
    if options.quick || options.only.is_some() {
        return Ok(());
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let book = here.ancestors().nth(2).context("race is in the workbook")?.join("book");
    findings.write(&book, race.name, race.says)
}
