//! How far the reader has come in a step, as `list` tells it to other programs.

use anyhow::Context;
use exercises::Exercise;

use crate::after_green::not_checked;
use crate::answers::hints;
use crate::chapter::Prediction;
use crate::json::Json;
use crate::judge::{Judged, Judgement, State};
use crate::notebook::Notebook;
use crate::notebook::page::Page;
use crate::notebook::source::Function;
use crate::object;
use crate::predict::score::{Score, Scores};
use crate::progress::{Progress, hints_shown, noted};
use crate::step::Step;
use crate::terminal::shown;

/// A step or the library, with the state of the reader's page.
#[derive(Debug)]
pub struct Part<'a> {
    notebook: &'a Notebook,
    pub(crate) package: &'a str,
    /// The reader's page. `None` if it's not begun, or can't be read.
    page: Option<Page>,
    /// Why it can't be read.
    error: Option<String>,
    judged: &'static str,
    is_done: bool,
    exercises: Vec<Judged>,
}

impl<'a> Part<'a> {
    /// Takes the state of the page when it was last judged.
    pub fn noted(notebook: &'a Notebook, step: &'a Step) -> Part<'a> {
        let package = step.package;
        let has_page = notebook.page(package).is_dir();
        let opened = has_page.then(|| notebook.open(step)).transpose();
        let (page, error) = match opened {
            Ok(opened) => (opened.map(|(page, _)| page), None),
            Err(error) => (None, Some(format!("{error:#}"))),
        };
        let progress = noted(notebook, package);
        let choice = notebook.choice();
        let is_given = |exercise: &Exercise| {
            let begun = page.as_ref().map(|page| page.is_given(exercise));
            begun.unwrap_or_else(|| choice.given.contains(&exercise.number))
        };
        let exercises = states(step, page.as_ref(), progress.as_ref(), is_given);
        let judged = match &progress {
            None => "never",
            Some(progress) if progress.is_current => "current",
            Some(_) => "changed",
        };
        let is_done = progress.as_ref().is_some_and(Progress::is_done);
        Part { notebook, package, page, error, judged, is_done, exercises }
    }

    /// Takes the state of a page that was judged just now.
    pub(crate) fn judged(notebook: &'a Notebook, page: Page, judgement: &Judgement) -> Part<'a> {
        Part {
            notebook,
            package: page.step.package,
            page: Some(page),
            error: None,
            judged: "current",
            is_done: judgement.is_green(),
            exercises: judgement.exercises.clone(),
        }
    }

    /// Tells it, with the predictions that the chapter asks for.
    pub fn told<'b>(
        &self,
        predictions: impl Iterator<Item = &'b Prediction>,
    ) -> anyhow::Result<Json> {
        let about = self.notebook.workbook.description(self.package)?;
        let exercises: anyhow::Result<Vec<Json>> = self
            .exercises
            .iter()
            .map(|judged| exercise(self.notebook, self.package, self.page.as_ref(), judged))
            .collect();
        Ok(object! {
            package: self.package,
            title: about.split_once(". ").map_or(&*about, |(title, _)| title),
            about: &about,
            book: format!("{}.html", self.package.split('_').next().unwrap_or_default()),
            page: self.page.as_ref().map(|page| shown(&page.dir())),
            judged: self.judged,
            is_done: self.is_done,
            minutes_left: minutes_left(&self.exercises),
            exercises: exercises?,
            // Scores that can't be read are no reason to tell nothing.
            predictions: told_predictions(Scores::of(self.notebook).ok().as_ref(), predictions),
            error: self.error.as_ref(),
        })
    }
}

/// Tells how a prediction has gone.
pub(crate) fn told_score(scene: &str, score: Score) -> Json {
    object! {
        scene: scene,
        right: score.right,
        asked: score.asked,
        of: score.of,
        is_complete: score.is_complete(),
    }
}

/// Tells how predictions have gone.
pub(crate) fn told_predictions<'a>(
    scores: Option<&Scores>,
    predictions: impl Iterator<Item = &'a Prediction>,
) -> Json {
    Json::list(predictions.map(|prediction| {
        let score = scores.and_then(|scores| scores.get(&prediction.package, &prediction.scene));
        told_score(&prediction.scene, score.unwrap_or_default())
    }))
}

/// Returns the minutes of the exercises that are left.
pub(crate) fn minutes_left(exercises: &[Judged]) -> u32 {
    let left = exercises.iter().filter(|it| !matches!(it.state, State::Green | State::Given));
    left.map(|judged| u32::from(judged.exercise.minutes)).sum()
}

/// Returns the states of the exercises as they were noted. What's written since then waits to be judged.
fn states(
    step: &Step,
    page: Option<&Page>,
    progress: Option<&Progress>,
    is_given: impl Fn(&Exercise) -> bool,
) -> Vec<Judged> {
    let is_written =
        |judged: &&Judged| page.is_some_and(|page| !page.is_not_written(judged.exercise));
    let mut all: Vec<Judged> = step
        .exercises
        .iter()
        .map(|exercise| {
            let was_green = progress.is_some_and(|it| it.reached.contains(&exercise.number));
            Judged { exercise, state: State::Waits, was_green }
        })
        .collect();
    let noted = progress.map_or(0, |it| it.green);
    let settled = all.iter().take(noted).take_while(is_written).count();
    let is_red = progress.is_some_and(|it| !it.is_green) && settled == noted;
    let given = all[settled..].iter().take_while(|it| is_given(it.exercise)).count();
    let to_write = settled + given;
    for (index, judged) in all.iter_mut().enumerate() {
        judged.state = match &*judged {
            it if is_given(it.exercise) => State::Given,
            _ if index < settled => State::Green,
            _ if index > to_write => State::Waits,
            it if !is_written(&it) => State::NotWritten,
            _ if is_red => State::Red,
            _ => State::Waits,
        };
    }
    all
}

/// Tells an exercise, with its place on the page.
pub(crate) fn exercise(
    notebook: &Notebook,
    package: &str,
    page: Option<&Page>,
    judged: &Judged,
) -> anyhow::Result<Json> {
    let Judged { exercise, state, was_green } = *judged;
    let (mut file, mut line, mut yours, mut promise) = (None, None, None, None);
    let mut shown_hints = Vec::new();
    let mut of = 3;
    if let Some(page) = page {
        let located = page.exercise(exercise)?;
        let source = page.file_of(located);
        (file, line) = (Some(shown(&source.path)), located.line);
        if state == State::Green {
            let function = Function::find(&source.text, &exercise.name)?;
            yours = Some(textwrap::dedent(function.context("no such exercise")?.whole()));
            promise = not_checked(&located.solution.function);
        }
        let hints = hints(page, exercise)?;
        of = hints.len();
        let seen = hints_shown(notebook, exercise);
        shown_hints = hints.iter().take(seen).map(Json::from).collect();
    }
    Ok(object! {
        number: &exercise.number,
        name: &exercise.name,
        task: &exercise.task,
        minutes: u32::from(exercise.minutes),
        state: state.words(),
        was_green: was_green,
        file: file,
        line: line,
        book: notebook.workbook.book_fold_of(package, &exercise.number),
        scenes: Json::list(&exercise.scenes),
        trials: Json::list(&exercise.trials),
        hints: object! { of: of, shown: shown_hints },
        yours: yours,
        not_checked: promise,
    })
}
