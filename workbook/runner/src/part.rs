//! The reader's progress in a step, as `list` reports it to other programs.

use exercises::Exercise;
use exercises::paths::Path;

use crate::answers::hints;
use crate::chapter::{Chapter, Prediction, chapter_of};
use crate::json::Json;
use crate::predict::score::{Score, Scores};
use crate::{object, reading};
use judging::judge::{Judged, Judgement, State};
use judging::notebook::Notebook;
use judging::notebook::page::Page;
use judging::progress::{Progress, hints_shown, noted};
use judging::promises::not_checked;
use judging::step::Step;
use judging::terminal::shown;

/// A step, the library or the loop from scratch, with the state of the reader's page.
#[derive(Debug)]
pub struct Part<'a> {
    notebook: &'a Notebook,
    /// The step.
    pub step: Step,
    /// The step's chapter.
    pub chapter: Chapter,
    /// The state of the page at its last judgement, if there was one.
    pub progress: Option<Progress>,
    /// The reader's page. `None` if it doesn't exist yet or can't be read.
    page: Option<Page>,
    /// The reason why the page can't be read.
    error: Option<String>,
    judged: &'static str,
    /// True if the page was green in its last judgement and hasn't changed since.
    pub is_done: bool,
    exercises: Vec<Judged>,
}

impl<'a> Part<'a> {
    /// Returns a part with the page's state at its last judgement.
    pub fn noted(notebook: &'a Notebook, step: &Step) -> Part<'a> {
        let has_page = notebook.page(step.package).is_dir();
        let opened = has_page.then(|| notebook.open(step)).transpose();
        let (page, error) = match opened {
            Ok(opened) => (opened.map(|(page, _)| page), None),
            Err(error) => (None, Some(format!("{error:#}"))),
        };
        let progress = noted(notebook, step.package);
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
        let chapter = Chapter::of(&notebook.workbook, step.package);
        Part { notebook, step: *step, chapter, progress, page, error, judged, is_done, exercises }
    }

    /// Returns a part whose page has just been judged.
    pub(crate) fn judged(notebook: &'a Notebook, page: Page, judgement: &Judgement) -> Part<'a> {
        let step = page.step;
        Part {
            notebook,
            step,
            chapter: Chapter::of(&notebook.workbook, step.package),
            progress: noted(notebook, step.package),
            page: Some(page),
            error: None,
            judged: "current",
            is_done: judgement.is_green(),
            exercises: judgement.exercises.clone(),
        }
    }

    /// Returns true if an exercise is given.
    pub fn is_given(&self, exercise: &Exercise) -> bool {
        let mut given = self.exercises.iter().filter(|it| it.state == State::Given);
        given.any(|it| it.exercise == exercise)
    }

    /// Returns the number of exercises in a state.
    pub fn count(&self, state: State) -> usize {
        self.exercises.iter().filter(|it| it.state == state).count()
    }

    /// Returns the number of exercises that the reader writes: all except the given exercises.
    pub fn to_write(&self) -> usize {
        self.exercises.len() - self.count(State::Given)
    }

    /// Returns the time for the exercises that the reader still has to write, in minutes.
    pub fn minutes_left(&self) -> u32 {
        minutes_left(&self.exercises)
    }

    /// Returns the exercises that the reader still has to write.
    pub fn left(&self) -> impl Iterator<Item = &'static Exercise> {
        left(&self.exercises)
    }

    /// Returns the predictions that a path asks for.
    pub fn asked<'b>(&'b self, path: &'b Path) -> impl Iterator<Item = &'b Prediction> {
        reading::asked(path, &self.chapter)
    }

    /// Returns the part as JSON, with the predictions that a path asks for.
    pub fn told(&self, path: &Path) -> anyhow::Result<Json> {
        let package = self.step.package;
        let about = self.notebook.workbook.description(package)?;
        let of_one =
            |judged| exercise(self.notebook, &self.chapter, package, self.page.as_ref(), judged);
        let exercises: anyhow::Result<Vec<Json>> = self.exercises.iter().map(of_one).collect();
        Ok(object! {
            package: package,
            title: about.split_once(". ").map_or(&*about, |(title, _)| title),
            about: &about,
            book: format!("{}.html", chapter_of(package)),
            page: self.page.as_ref().map(|page| shown(&page.dir())),
            judged: self.judged,
            is_done: self.is_done,
            minutes_left: self.minutes_left(),
            exercises: exercises?,
            // The rest is useful even if the scores can't be read.
            predictions: told_predictions(Scores::of(self.notebook).ok().as_ref(), self.asked(path)),
            error: self.error.as_ref(),
        })
    }
}

/// Returns a prediction's score as JSON.
pub(crate) fn told_score(scene: &str, score: Score) -> Json {
    object! {
        scene: scene,
        right: score.right,
        asked: score.asked,
        of: score.of,
        is_complete: score.is_complete(),
    }
}

/// Returns the scores of predictions as JSON.
pub(crate) fn told_predictions<'a>(
    scores: Option<&Scores>,
    predictions: impl Iterator<Item = &'a Prediction>,
) -> Json {
    Json::list(predictions.map(|prediction| {
        let score = scores.and_then(|scores| scores.get(&prediction.package, &prediction.scene));
        told_score(&prediction.scene, score.unwrap_or_default())
    }))
}

/// Returns the time for the exercises that the reader still has to write, in minutes.
pub(crate) fn minutes_left(exercises: &[Judged]) -> u32 {
    left(exercises).map(|exercise| u32::from(exercise.minutes)).sum()
}

fn left(exercises: &[Judged]) -> impl Iterator<Item = &'static Exercise> {
    let left = exercises.iter().filter(|it| !matches!(it.state, State::Green | State::Given));
    left.map(|judged| judged.exercise)
}

/// Returns the recorded states of the exercises. After the first exercise that's neither green nor
/// given, all exercises that aren't given have the state [`State::Waits`].
fn states(
    step: &Step,
    page: Option<&Page>,
    progress: Option<&Progress>,
    is_given: impl Fn(&Exercise) -> bool,
) -> Vec<Judged> {
    // If a judged page can no longer be read, the recorded states are all that we know.
    let is_written = |judged: &&Judged| match page {
        Some(page) => !page.is_not_written(judged.exercise),
        None => progress.is_some(),
    };
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
    // A body that was written after the judgement hasn't been judged.
    let is_red = progress.is_some_and(|it| !it.is_green && !it.awaits_a_body) && settled == noted;
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

/// Describes an exercise as JSON, with its place on the page.
pub(crate) fn exercise(
    notebook: &Notebook,
    chapter: &Chapter,
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
        // A loop from scratch doesn't have a function for each exercise.
        if state == State::Green && !page.step.is_from_scratch() {
            yours = Some(textwrap::dedent(page.function(exercise)?.whole()));
            let promises = not_checked(&located.solution.function);
            promise = (!promises.is_empty()).then(|| promises.join(" "));
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
        book: chapter.fold_of(package, &exercise.number),
        scenes: Json::list(&exercise.scenes),
        trials: Json::list(&exercise.trials),
        hints: object! { of: of, shown: shown_hints },
        yours: yours,
        not_checked: promise,
    })
}
