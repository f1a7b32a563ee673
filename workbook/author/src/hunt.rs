//! Records the verdict that a reader gets on each bug that's worth a hunt. The verdict comes from
//! the scene or trial that the document names or, if it names none, from the first red scene or
//! trial.

use std::process::ExitCode;

use anyhow::{Context, ensure};

use super::attempt::Attempt;
use super::documents::{Bug, with_told};
use exercises::Exercise;
use judging::Step;
use judging::terminal::Terminal;
use judging::workbook::{read, write};

/// Records the verdicts in a step's documents of answers and prints a line for each bug.
pub fn hunt(step: &Step) -> anyhow::Result<ExitCode> {
    let mut attempt = Attempt::begin_in(step, "check")?;
    attempt.put_all_back()?;
    for exercise in step.exercises {
        let file = attempt.document_of(exercise);
        record(step, &mut attempt, exercise).with_context(|| file.display().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn record(step: &Step, attempt: &mut Attempt<'_>, exercise: &Exercise) -> anyhow::Result<()> {
    let bodies = attempt.bodies(exercise)?;
    if bodies.iter().all(|body| body.bug.is_none()) {
        return Ok(());
    }
    let together = attempt.together(&[(exercise, &bodies)])?;
    let together = together.context("its bodies don't compile in one program")?;
    for (number, body) in bodies.iter().enumerate() {
        let Some(Bug { keeps, shown_by, .. }) = &body.bug else { continue };
        ensure!(keeps.len() == 2, "{}: keeps {} promises instead of two", body.claim, keeps.len());
        let program = together.program(0, number)?;
        let mut checks = step.checks_of(exercise);
        let named = |name: &str| shown_by.is_empty() || name == shown_by;
        let (check, told) = checks
            .find_map(|check| {
                let told = attempt.told_by(check, &program).transpose()?;
                named(check.name).then_some((check, told))
            })
            .with_context(|| format!("{}: no scene and no trial shows it", body.claim))?;
        let name = body.claim.trim_start_matches("wrong: ");
        let file = attempt.document_of(exercise);
        write(&file, &with_told(&read(&file)?, name, check.name, &told?)?)?;
        let line = format!("{} {}: {name}: {}\n", exercise.number, exercise.name, check.name);
        Terminal::of_stdout().print(&line);
    }
    Ok(())
}
