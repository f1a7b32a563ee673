//! Judges a loop from scratch, stage by stage, up to the first stage that isn't green.
//!
//! Each stage is a separate program, so a function or type that the reader hasn't written yet is
//! missing only in the stages that use it.

use std::fs;

use exercises::Exercise;

use crate::Step;
use crate::cargo::{Built, Failure, Messages, Profile, build_program};
use crate::diagnostics::Problem;
use crate::judge::{Checked, Judgement, State, first_red};
use crate::machine::{self, NotJudged};
use crate::notebook::from_scratch::program_of;
use crate::notebook::page::Page;
use crate::verdict::Effort;

/// Returns the name of the program that contains a scene or a trial.
pub fn program_with(step: &Step, check: &str) -> String {
    program_of(stage_of(step, check))
}

/// Returns the number of the stage that contains a scene or a trial.
pub fn stage_of(step: &Step, check: &str) -> usize {
    let has_it = |stage: &Exercise| stage.scenes.iter().chain(&stage.trials).any(|it| it == check);
    step.exercises.iter().position(has_it).unwrap_or_default() + 1
}

/// Builds and judges the stages. The inner error means that the page doesn't compile.
///
/// Fails with [`NotJudged`] if the scenes and trials couldn't be run, or if the machine caused a
/// red verdict.
pub fn judge_stages(page: &Page, messages: Messages) -> anyhow::Result<Result<Judgement, Failure>> {
    let mut judgement = Judgement::with_all(&page.step, State::Waits);
    for (index, stage) in page.step.exercises.iter().enumerate() {
        let name = program_of(index + 1);
        // rustc's messages about a stage's program quote our own lines, so they're kept and not
        // shown.
        let (notebook, package) = (&page.notebook, page.step.package);
        let program = ("--example", name.as_str());
        let built = build_program(notebook, package, program, Messages::Kept, Profile::Dev)?;
        let program = match built {
            Built::Program(program, _) => program,
            Built::DoesNotCompile(failure) => {
                let Some(lack) = lack(&failure, index + 1) else {
                    failure.show(messages);
                    return Ok(Err(failure));
                };
                let state = if lack.is_missing { State::NotWritten } else { State::Red };
                judgement.set(index..=index, state);
                judgement.lacks = Some(lack.words);
                return Ok(Ok(judgement));
            }
        };
        let checks: Vec<Checked> =
            page.step.checks_of(stage).map(|check| (Some(index), check)).collect();
        let effort = Effort::for_a_reader();
        let found = first_red(page, &program, &checks, effort).map_err(NotJudged::because)?;
        let Some((_, red)) = found else {
            judgement.set(index..=index, State::Green);
            continue;
        };
        let is_begun = !red.stops_at_a_todo();
        if is_begun {
            machine::control(&page.step, &red).map_err(NotJudged::because)?;
        }
        judgement.set(index..=index, if is_begun { State::Red } else { State::NotWritten });
        judgement.red = Some(red);
        return Ok(Ok(judgement));
    }
    Ok(Ok(judgement))
}

/// The file in a stage's program that uses the stage's names as the contract declares them.
const CONTRACT: &str = "contract.rs";

/// The reason why a stage's program doesn't compile with the reader's loop: if known, a name that
/// the loop lacks or declares differently.
#[derive(Debug)]
pub struct Lack {
    /// Two sentences: one about the name, or about the stage if we don't know the name, and one
    /// with rustc's message.
    pub words: String,
    /// True if rustc finds no such name, and false if it reports any other error, such as a
    /// different signature.
    pub is_missing: bool,
}

/// rustc's error codes for unknown names of functions, types and imports.
const MISSING: [&str; 4] = ["E0425", "E0412", "E0432", "E0433"];

/// Explains why a stage's program doesn't compile with the reader's loop. Returns `None` if there's
/// no error in the stage's program, because then the reader's own file doesn't compile.
pub fn lack(failure: &Failure, stage: usize) -> Option<Lack> {
    let errors = || failure.problems.iter().filter(|problem| problem.is_error());
    // If there's no error in our files, the reader's own file doesn't compile. Otherwise, look at
    // all errors, because rustc can report an error in one of our macros at a place outside our
    // files.
    if !errors().any(is_of_a_stage) {
        return None;
    }
    let known = errors().find_map(|problem| Some((wanted(problem)?, problem)));
    let is_missing =
        |problem: &Problem| MISSING.iter().any(|it| problem.code.as_deref() == Some(it));
    let (words, problem) = match known {
        Some((wanted, problem)) if is_missing(problem) => (
            format!("Stage {stage} needs `{wanted}`, which your src/lib.rs doesn't define."),
            problem,
        ),
        Some((wanted, problem)) => {
            (format!("Stage {stage} needs `{wanted}`, but your declaration differs."), problem)
        }
        None => {
            let differs = "which differs from the contract at the top of the file.";
            let words = format!("Stage {stage} doesn't compile with your src/lib.rs, {differs}");
            (words, errors().next()?)
        }
    };
    let said = problem.message.lines().next().unwrap_or_default();
    let words = format!("{words} rustc says: {said}");
    Some(Lack { words, is_missing: is_missing(problem) })
}

fn is_of_a_stage(problem: &Problem) -> bool {
    // The file's name is relative to the reader's directory, which can be anywhere, so make it
    // absolute.
    let file = problem.place.as_ref().and_then(|place| fs::canonicalize(&place.begin.file).ok());
    file.is_some_and(|file| file.display().to_string().contains("from_scratch/experiments/"))
}

/// Returns the declaration that [`CONTRACT`] quotes above the location of an error, if the error is
/// in that file.
fn wanted(problem: &Problem) -> Option<String> {
    let begin = &problem.place.as_ref()?.begin;
    let text = fs::read_to_string(&begin.file).ok().filter(|_| begin.file.ends_with(CONTRACT))?;
    let above = text.lines().take(begin.line?);
    let line = above.filter_map(|line| line.strip_prefix("// pub ")).last()?;
    Some(format!("pub {line}"))
}
