//! Judges a loop from scratch, stage by stage, up to the first that isn't green.
//!
//! Each stage is a program of its own, so that a name which the reader hasn't written yet is
//! missing only where it's needed.

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

/// Returns the name of the program that has a scene or a trial.
pub fn program_with(step: &Step, check: &str) -> String {
    program_of(stage_of(step, check))
}

/// Returns the number of the stage that has a scene or a trial.
pub fn stage_of(step: &Step, check: &str) -> usize {
    let has_it = |stage: &Exercise| stage.scenes.iter().chain(&stage.trials).any(|it| it == check);
    step.exercises.iter().position(has_it).unwrap_or_default() + 1
}

/// Builds and judges the stages. The inner error is for a page that doesn't compile.
///
/// Fails with [`NotJudged`] if the scenes couldn't be run, or if the machine is the reason why one
/// is red.
pub fn judge_stages(page: &Page, messages: Messages) -> anyhow::Result<Result<Judgement, Failure>> {
    let mut judgement = Judgement::with_all(&page.step, State::Waits);
    for (index, stage) in page.step.exercises.iter().enumerate() {
        let name = program_of(index + 1);
        // What rustc says about a stage's program is about our own lines.
        let (notebook, package) = (&page.notebook, page.step.package);
        let program = ("--example", name.as_str());
        let built = build_program(notebook, package, program, Messages::Kept, Profile::Dev)?;
        let program = match built {
            Built::Program(program, _) => program,
            Built::DoesNotCompile(failure) => {
                judgement.lacks = lack(&failure, index + 1);
                if judgement.lacks.is_none() {
                    failure.show(messages);
                    return Ok(Err(failure));
                }
                judgement.set(index..=index, State::NotWritten);
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

/// The file of a stage's program that uses each name of the contract once.
const CONTRACT: &str = "contract.rs";

/// Returns which name of the contract is missing, or has another signature, if that's why a stage's
/// program doesn't compile.
pub fn lack(failure: &Failure, stage: usize) -> Option<String> {
    let errors = || failure.problems.iter().filter(|problem| problem.is_error());
    // The reader's own file has to compile before ours can be at fault.
    if errors().any(|problem| !is_of_a_stage(problem)) {
        return None;
    }
    let known = errors().find_map(|problem| Some((wanted(problem)?, problem)));
    let said = |problem: &Problem| problem.message.lines().next().unwrap_or_default().to_owned();
    let Some((wanted, problem)) = known else {
        return Some(format!(
            "Stage {stage} doesn't compile with your src/lib.rs, which differs from the contract at \
             the head of the file. rustc says: {}",
            said(errors().next()?)
        ));
    };
    Some(format!(
        "Stage {stage} wants `{wanted}`, and your src/lib.rs has none that fits. rustc says: {}",
        said(problem)
    ))
}

fn is_of_a_stage(problem: &Problem) -> bool {
    let file = problem.place.as_ref().map_or("", |place| place.begin.file.as_str());
    file.contains("from_scratch/experiments/")
}

/// Returns the line of the contract that is above the place of an error.
fn wanted(problem: &Problem) -> Option<String> {
    let begin = &problem.place.as_ref()?.begin;
    let text = fs::read_to_string(&begin.file).ok().filter(|_| begin.file.ends_with(CONTRACT))?;
    let above = text.lines().take(begin.line?);
    let line = above.filter_map(|line| line.strip_prefix("// pub ")).last()?;
    Some(format!("pub {line}"))
}
