//! Tries answers from a directory, one after another, on a page that's otherwise complete. For each
//! answer, prints the verdict that a reader would get: that the page is green, where it's red, or
//! that it doesn't compile.

use std::path::Path;
use std::process::ExitCode;

use anyhow::ensure;

use super::attempt::Attempt;
use super::documents::bodies_to_try;
use judging::Step;
use judging::judge::Judgement;
use judging::terminal::Terminal;
use runner::report::Report;

/// The part of each verdict to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// Only one line, with the outcome.
    InALine,
    /// The line with the outcome, followed by the whole report.
    InFull,
}

/// Tries each answer in `DIR/EXERCISE.md` and in the files of `DIR/EXERCISE/` and prints the
/// verdict that a reader would get on the answer.
pub fn try_out(step: &Step, dir: &Path, told: Told) -> anyhow::Result<ExitCode> {
    let mut attempt = Attempt::begin_in(step, &format!("try-{}", super::short(step)))?;
    attempt.put_all_back()?;
    let terminal = Terminal::of_stdout();
    let mut tried = 0;
    for exercise in step.exercises {
        for (name, body) in bodies_to_try(dir, &exercise.name)? {
            tried += 1;
            let judgement = attempt.judged_with(exercise, &body)?;
            let line = judgement.as_ref().map_or("doesn't compile".to_owned(), in_a_line);
            terminal.print(&format!("{} {} {name}: {line}\n", exercise.number, exercise.name));
            if let Some(mut judgement) = judgement.filter(|_| told == Told::InFull) {
                // All exercises were green before we tried the answer.
                let numbers = step.exercises.iter().map(|exercise| exercise.number.clone());
                judgement.remember(&numbers.collect::<Vec<String>>());
                let report = Report { terminal: &terminal, page: attempt.page() };
                terminal.print(&format!("{}\n", report.judgement(&judgement)?));
            }
        }
    }
    ensure!(tried > 0, "{} has no answers: no EXERCISE/*.rs, and no EXERCISE.md", dir.display());
    Ok(ExitCode::SUCCESS)
}

fn in_a_line(judgement: &Judgement) -> String {
    let Some(verdict) = &judgement.red else { return "green".to_owned() };
    let of_an_exercise = judgement.first_red().map(|exercise| &*exercise.number);
    let at = of_an_exercise.unwrap_or("another scene");
    format!("red at {at}, {}: {}", verdict.check.name, verdict.sentence())
}
