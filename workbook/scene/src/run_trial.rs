//! Runs a trial's programs in this process and sends records to the runner.

use std::process::ExitCode;

use anyhow::Context;

use crate::channel;
use crate::descriptors::Descriptors;
use crate::record::Record;
use crate::run_scene::{reach_the_runner, report};
use crate::{FIRST_PROGRAM, Program, Transcript, Trial, say};

/// The beginning of the line that says why a program ended early. This line isn't for errors that a
/// correct page can also cause. A trial reports such an error as a call's result, on a separate
/// line.
pub const FAILED_PROGRAM: &str = "ends with an error: ";

/// A selection of a trial's programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// All programs.
    All,
    /// One program, or part of it.
    One {
        /// The program's number.
        number: u32,
        /// The positions of the verbs to keep, in ascending order. `None` keeps all verbs.
        kept: Option<Vec<usize>>,
    },
}

impl Selection {
    /// Formats the selection as words on a command line.
    pub fn to_words(&self) -> Vec<String> {
        match self {
            Selection::All => vec![],
            Selection::One { number, kept: None } => vec![number.to_string()],
            Selection::One { number, kept: Some(kept) } => {
                let kept: Vec<String> = kept.iter().map(usize::to_string).collect();
                vec![number.to_string(), kept.join(",")]
            }
        }
    }

    /// Parses the words from [`Selection::to_words`].
    pub fn from_words(words: &[&str]) -> anyhow::Result<Selection> {
        let (number, kept) = match words {
            [] => return Ok(Selection::All),
            [number] => (number, None),
            [number, kept] => (number, Some(kept)),
            _ => anyhow::bail!("too many words: {}", words.join(" ")),
        };
        let positions = |kept: &&str| -> Result<Vec<usize>, _> {
            kept.split(',').filter(|word| !word.is_empty()).map(str::parse).collect()
        };
        let kept = kept.map(positions).transpose().context("the positions of verbs")?;
        let number = number.parse().context("the number of a program")?;
        Ok(Selection::One { number, kept })
    }
}

/// Runs the selected programs of a trial. Reports each program's number of verbs and its
/// transcript. The transcript includes the descriptors that the program leaked or wrongly closed.
pub fn run_trial(trial: &Trial, selection: Selection) -> ExitCode {
    if let Err(error) = reach_the_runner() {
        eprintln!("error: can't reach the runner: {error}");
        return ExitCode::FAILURE;
    }
    match selection {
        Selection::All => {
            channel::collect_lines();
            let first = std::env::var(FIRST_PROGRAM).ok().and_then(|text| text.parse().ok());
            let first: u32 = first.unwrap_or_default();
            for number in first..first.saturating_add(trial.programs) {
                let program = Program::new(number, None);
                run_program(trial, &program);
                let text = format!("{}\n{}", program.offered(), channel::take_lines());
                let _ = channel::send(&Record::Program(text));
            }
        }
        Selection::One { number, kept } => {
            let program = Program::new(number, kept);
            run_program(trial, &program);
            let _ = channel::send(&Record::Program(format!("{}\n", program.offered())));
        }
    }
    report(&[])
}

fn run_program(trial: &Trial, program: &Program) {
    let t = Transcript::new();
    let before = Descriptors::open_now();
    if let Err(error) = (trial.run)(program, t) {
        say!(t, "{FAILED_PROGRAM}{error:#}");
    }
    let after = Descriptors::open_now();
    for kind in before.leaked(&after) {
        say!(t, "leaks a descriptor: {kind}");
    }
    for (number, kind) in before.closed(&after) {
        say!(t, "closes descriptor {number} ({kind}), which it didn't open");
    }
}
