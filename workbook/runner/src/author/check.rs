//! Proves a step's exercises: the starter is red for the right reason, the reference is green, wrong
//! answers are red, and other right answers are green.
//!
//! All this happens in a notebook below `target/`, with the same code that a reader's commands run.
//! Each step has its own, so that two can be checked at a time.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::attempt::Attempt;
use super::{answer_files, clear, short};
use crate::notebook::Notebook;
use crate::terminal::Terminal;
use crate::workbook::Workbook;
use scene::{Exercise, Step};

/// Checks one step, and prints a line for each thing that was checked.
pub(crate) fn check(step: &Step) -> anyhow::Result<ExitCode> {
    let workbook = Workbook::of(step.manifest_dir)?;
    let notebook =
        Notebook { dir: workbook.root.join(format!("target/check-{}", short(step))), workbook };
    clear(&notebook.dir)?;
    let mut check = Check { terminal: Terminal::of_stdout(), passed: 0, failed: 0 };
    check.run(step, &notebook);
    let summary = format!("{}: {} passed, {} failed\n", step.package, check.passed, check.failed);
    check.terminal.print(&summary);
    Ok(if check.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Check {
    terminal: Terminal,
    passed: u32,
    failed: u32,
}

impl Check {
    fn run(&mut self, step: &Step, notebook: &Notebook) {
        let attempt = Attempt::begin(step, notebook);
        self.report("is complete", attempt.as_ref().map_or_else(copied, Attempt::is_complete));
        let Ok(mut attempt) = attempt else { return };
        let starter = attempt.starter_compiles();
        let compiles = starter.is_ok();
        self.report("starter compiles without a warning", starter);
        if !compiles {
            return;
        }
        for exercise in step.exercises {
            let name = format!("{} {}", exercise.number, exercise.name);
            let not_written = attempt.is_not_written(exercise);
            self.report(&format!("{name}: red until it is written"), not_written);
            let hints_help = attempt.hints_help(exercise);
            self.report(&format!("{name}: the last hint is a body that's green"), hints_help);
            self.answers(&mut attempt, exercise, &name);
            let put_back = attempt.put_back(exercise);
            let written = put_back.and_then(|()| attempt.is_green(exercise));
            self.report(&format!("{name}: green once it is"), written);
        }
        self.right_answers_together(&mut attempt, step);
        self.report(
            "with all bodies put back, the page is the reference, byte for byte",
            attempt.is_the_reference(),
        );
    }

    /// Tries right answers to all exercises together, because each must also work with the
    /// exercises that build on it. Every right answer is tried at least once.
    fn right_answers_together(&mut self, attempt: &mut Attempt<'_>, step: &Step) {
        let of_each: Vec<_> =
            step.exercises.iter().map(|exercise| right_answers(attempt, exercise)).collect();
        let rounds = of_each.iter().map(Vec::len).max().unwrap_or_default();
        for round in 0..rounds {
            let answers = step.exercises.iter().zip(&of_each).filter_map(|(exercise, files)| {
                Some((exercise, files.iter().cycle().nth(round)?.as_path()))
            });
            let answers: Vec<_> = answers.collect();
            let result = attempt.suit_the_step(&answers);
            let what = format!("right answers together, {}: all scenes are green", round + 1);
            self.report(&what, result);
        }
    }

    /// Tries each answer in `tests/answers/`, and restores the page after it.
    fn answers(&mut self, attempt: &mut Attempt<'_>, exercise: &Exercise, name: &str) {
        let dir = attempt.answers_to(exercise);
        let files = answer_files(&dir);
        for (kind, colour) in [("wrong_", "red"), ("right_", "green")] {
            let mut of_kind =
                files.iter().filter(|file| file_name(file).starts_with(kind)).peekable();
            if of_kind.peek().is_none() {
                let missing = Err(anyhow::anyhow!("none in {}", dir.display()));
                self.report(&format!("{name}: has a {kind}*.rs answer"), missing);
            }
            for file in of_kind {
                let result = attempt.answer(exercise, file);
                self.report(&format!("{name}: {} is {colour}", file_name(file)), result);
            }
        }
    }

    fn report(&mut self, what: &str, result: anyhow::Result<()>) {
        let line = match result {
            Ok(()) => {
                self.passed += 1;
                format!("  {} {what}\n", self.terminal.green("✓"))
            }
            Err(error) => {
                self.failed += 1;
                format!("  {} {what}\n      {error:#}\n", self.terminal.red("✗"))
            }
        };
        self.terminal.print(&line);
    }
}

/// Makes a second error with the same text, because `anyhow::Error` can't be cloned.
fn copied(error: &anyhow::Error) -> anyhow::Result<()> {
    Err(anyhow::anyhow!("{error:#}"))
}

fn right_answers(attempt: &Attempt<'_>, exercise: &Exercise) -> Vec<PathBuf> {
    let mut files = answer_files(&attempt.answers_to(exercise));
    files.retain(|file| file_name(file).starts_with("right_"));
    files
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
