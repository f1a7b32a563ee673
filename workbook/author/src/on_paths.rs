//! Checks a step on each of the workbook's paths. In a fresh notebook, the path's exercises have no
//! bodies, and all other exercises are given. With the reference's bodies, the page must be green,
//! and with a wrong answer to the last of the path's exercises, the page must be red at that
//! exercise.

use anyhow::{Context, ensure};

use super::attempt::Attempt;
use super::clear;
use super::documents::AnswerKind;
use exercises::Exercise;
use judging::Step;
use judging::judge::State;
use judging::notebook::Notebook;
use runner::paths::{StepChapter, put_on};
use runner::reading::known;

/// Returns the paths on which some but not all of the step's exercises are given. If a path gives
/// none of them, the page is the same as in the other checks. If it gives all of them, the reader
/// has nothing to write.
pub(crate) fn paths_through(step: &Step, notebook: &Notebook) -> anyhow::Result<Vec<String>> {
    let paths = known(&notebook.workbook)?;
    let mut names: Vec<String> = paths.into_iter().map(|path| path.name).collect();
    let mut errors = Ok(());
    names.retain(|name| {
        let given = begin(step, notebook, name).map(|attempt| given(step, &attempt).len());
        match given {
            Ok(given) => given > 0 && given < step.exercises.len(),
            Err(error) => {
                errors = Err(error);
                false
            }
        }
    });
    errors.map(|()| names)
}

/// Checks the step on one path.
pub(crate) fn suits_the_path(step: &Step, notebook: &Notebook, path: &str) -> anyhow::Result<()> {
    let mut attempt = begin(step, notebook, path)?;
    let given = given(step, &attempt);
    let is_given = |exercise: &Exercise| given.contains(&exercise.number);
    for exercise in step.exercises.iter().filter(|it| !is_given(it)) {
        ensure!(attempt.page().is_not_written(exercise), "{} isn't to be written", exercise.number);
        attempt.put_back(exercise)?;
    }
    attempt.is_the_reference()?;
    let last = step.exercises.iter().rfind(|it| !is_given(it)).context("no exercise")?;
    let solution = attempt.page().body(last)?;
    let answers = attempt.answers_to(last)?;
    let wrong = answers.into_iter().find(|it| it.kind == AnswerKind::Wrong && !it.hangs);
    let wrong = wrong.with_context(|| format!("{} has no wrong answer", last.number))?.body;
    for (body, expected) in [(&solution, State::Green), (&wrong, State::Red)] {
        let judgement = attempt.judged_with(last, body)?.context("doesn't compile")?;
        let is_red_from = |exercise: &Exercise| expected == State::Red && exercise == last;
        for judged in &judgement.exercises {
            let expected = match judged.exercise {
                exercise if is_given(exercise) => State::Given,
                exercise if is_red_from(exercise) => State::Red,
                _ => State::Green,
            };
            let (number, state) = (&judged.exercise.number, judged.state.words());
            ensure!(judged.state == expected, "{number} is {state}, not {}", expected.words());
        }
        let red = judgement.red.map(|red| red.sentence()).unwrap_or_default();
        ensure!(red.is_empty() == (expected == State::Green), "{red}");
    }
    Ok(())
}

fn begin<'a>(step: &'a Step, notebook: &Notebook, path: &str) -> anyhow::Result<Attempt<'a>> {
    clear(&notebook.dir)?;
    let path = known(&notebook.workbook)?.into_iter().find(|it| it.name == path);
    let chapters = StepChapter::all(&notebook.workbook)?;
    put_on(notebook, &chapters, &path.context("there's no such path")?, None)?;
    Attempt::begin(step, notebook)
}

fn given(step: &Step, attempt: &Attempt<'_>) -> Vec<String> {
    let given = step.exercises.iter().filter(|exercise| attempt.page().is_given(exercise));
    given.map(|exercise| exercise.number.clone()).collect()
}
