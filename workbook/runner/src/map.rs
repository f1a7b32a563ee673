//! `cargo run` in the workbook's root: the map of the steps and the library. It shows what is green, what was
//! predicted, how many minutes are left, and what to write and to read next.

use std::process::ExitCode;

use exercises::Exercise;
use exercises::paths::Path;

use crate::path::{self, chapter_of};
use runner::COMMANDS;
use runner::chapter::{Chapter, Section};
use runner::notebook::Notebook;
use runner::predict::score::{Score, Scores};
use runner::progress::{Progress, all_done, next_step, noted};
use runner::terminal::Terminal;
use runner::workbook::Workbook;

/// Shows the map.
pub(crate) fn map(workbook: Workbook) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let notebook = Notebook::of(workbook);
    notebook.check_edition()?;
    path::ask_once(&notebook)?;
    let path = path::chosen(&notebook)?;
    // Scores that can't be read are no reason to show no map.
    let scores = Scores::of(&notebook).ok();
    let steps = notebook.workbook.steps()?;
    let places: anyhow::Result<Vec<Place>> =
        steps.iter().map(|step| Place::of(&notebook, step, &path, scores.as_ref())).collect();
    let places = places?;
    let mut text = format!("{}\n\n", terminal.bold("The event loop workbook"));
    text += &terminal.dim(&row("", "", "exercises", "predictions", "minutes left"));
    for place in &places {
        let description = notebook.workbook.description(&place.step)?;
        text += &place.shown(&terminal, &description);
    }
    text += &in_all(&places);
    text.push('\n');
    text += &match next_step(&notebook, None)? {
        Some(step) => {
            let place = places.iter().find(|place| place.step == step);
            what_is_next(&terminal, &notebook, &path, &step, place)
        }
        None => terminal.wrap("", &all_done(&notebook)?),
    };
    let book = notebook.typed(Some("book"), " -- serve");
    text += &format!("Path:  {}; for others: {}\n", path.name, notebook.typed(None, " -- path"));
    text += &format!("Book:  {book}\nMore:  {}\n", notebook.typed(None, " -- help"));
    terminal.print(&text);
    Ok(ExitCode::SUCCESS)
}

/// Returns what to type for a command that's a step's, such as `hint`, in the step to go on with. `None`
/// if no step has the command.
pub(crate) fn typed_for_a_step(workbook: Workbook, words: &[&str]) -> Option<String> {
    words.first().filter(|command| COMMANDS.contains(command) && **command != "help")?;
    let notebook = Notebook::of(workbook);
    let first = notebook.workbook.steps().ok()?.into_iter().next();
    let step = next_step(&notebook, None).ok().flatten().or(first)?;
    Some(notebook.typed(Some(&step), &format!(" -- {}", words.join(" "))))
}

/// How far the reader has come in a step.
struct Place {
    step: String,
    progress: Option<Progress>,
    exercises: Vec<Exercise>,
    /// The numbers of the given exercises.
    given: Vec<String>,
    /// The number of exercises before the first that's left to the reader.
    settled: usize,
    predicted: usize,
    /// The number of predictions that the chapter asks for.
    to_predict: usize,
    chapter: Chapter,
}

impl Place {
    fn of(
        notebook: &Notebook,
        step: &str,
        path: &Path,
        scores: Option<&Scores>,
    ) -> anyhow::Result<Place> {
        let progress = noted(notebook, step);
        let exercises = exercises::read(&notebook.workbook.step(step))?;
        let chapter = Chapter::of(&notebook.workbook, step);
        let is_made = |package: &str, scene: &str| {
            let score = scores.and_then(|scores| scores.get(package, scene));
            score.is_some_and(Score::is_complete)
        };
        let written = notebook.written(step, &exercises)?;
        let is_on_it = exercises.iter().any(|it| path.has(&it.number, chapter_of(step)));
        let asked = || chapter.predictions_in(|it| is_on_it && path.reads(it.chapter(), &it.id));
        Ok(Place {
            step: step.to_owned(),
            given: written.given,
            settled: progress.as_ref().map_or(0, |it| it.green).min(written.first),
            predicted: asked().filter(|it| is_made(&it.package, &it.scene)).count(),
            to_predict: asked().count(),
            progress,
            exercises,
            chapter,
        })
    }

    fn is_given(&self, exercise: &Exercise) -> bool {
        self.given.contains(&exercise.number)
    }

    /// Returns the number of exercises that the reader has to write.
    fn to_write(&self) -> usize {
        self.exercises.len() - self.given.len()
    }

    /// Returns the number of exercises that were green, without the given ones.
    fn green(&self) -> usize {
        // They're solved in order, so the first ones are those that are green.
        self.exercises[..self.settled].iter().filter(|it| !self.is_given(it)).count()
    }

    /// Returns the exercises that are left.
    fn left(&self) -> impl Iterator<Item = &Exercise> {
        self.exercises[self.settled..].iter().filter(|it| !self.is_given(it))
    }

    fn minutes_left(&self) -> u32 {
        self.left().map(|exercise| u32::from(exercise.minutes)).sum()
    }

    fn shown(&self, terminal: &Terminal, description: &str) -> String {
        if self.to_write() == 0 {
            let line = row("○", &self.step, "given", "", "");
            return terminal.dim(&format!("{}\n", line.trim_end()));
        }
        let is_done = self.progress.as_ref().is_some_and(Progress::is_done);
        let line = row(
            if is_done { "✓" } else { "·" },
            &self.step,
            &format!("{} of {}", self.green(), self.to_write()),
            &format!("{} of {}", self.predicted, self.to_predict),
            &self.minutes_left().to_string(),
        );
        let line = if is_done { terminal.green(&line) } else { line };
        let given = match self.given.len() {
            0 => String::new(),
            given => format!(" Given: {given} more."),
        };
        let state = match &self.progress {
            None => " Not begun.",
            Some(progress) if !progress.is_current => " Changed since it was judged.",
            Some(progress) if self.settled == self.exercises.len() && !progress.is_green => {
                " Another scene isn't green."
            }
            Some(_) => "",
        };
        let state = given + state;
        let full_stop = if state.is_empty() || description.ends_with('.') { "" } else { "." };
        line + &terminal.wrap("    ", &format!("{description}{full_stop}{state}"))
    }
}

fn in_all(places: &[Place]) -> String {
    let sum = |count: fn(&Place) -> usize| places.iter().map(count).sum::<usize>();
    row(
        "",
        "in all",
        &format!("{} of {}", sum(Place::green), sum(Place::to_write)),
        &format!("{} of {}", sum(|place| place.predicted), sum(|place| place.to_predict)),
        &places.iter().map(Place::minutes_left).sum::<u32>().to_string(),
    )
}

/// Formats a row of the table, which fits 60 columns.
fn row(sign: &str, step: &str, exercises: &str, predictions: &str, minutes: &str) -> String {
    format!("{sign:<2}{step:<18}{exercises:>11}{predictions:>14}{minutes:>14}\n")
}

/// Says what to write and to read next.
fn what_is_next(
    terminal: &Terminal,
    notebook: &Notebook,
    path: &Path,
    step: &str,
    place: Option<&Place>,
) -> String {
    let mut text = format!("Next:  {}\n", terminal.bold(&notebook.typed(Some(step), "")));
    let Some(place) = place else { return text };
    if let Some(next) = place.left().next() {
        let about = format!("{} {}, about {} min", next.number, next.name, next.minutes);
        text += &terminal.wrap("       ", &about);
        let before = place.exercises.iter().take_while(|it| it.number != next.number);
        let done = before.filter(|it| !place.is_given(it)).last().map(|last| &*last.number);
        let sections = place.chapter.sections_to(done, &next.number).iter();
        let (read, skipped): (Vec<&Section>, Vec<&Section>) =
            sections.partition(|section| path.reads(section.chapter(), &section.id));
        let titles = |sections: &[&Section]| {
            let titles = sections.iter().map(|section| format!("“{}”", section.title));
            titles.collect::<Vec<_>>().join(", ")
        };
        if let Some(first) = read.first() {
            text += &terminal.wrap_hanging("Read:  ", "       ", &titles(&read[..1]));
            let place = first.place(&notebook.workbook, terminal.width.saturating_sub(7));
            text += &terminal.wrap("       ", &place);
        }
        if !skipped.is_empty() {
            text += &terminal.wrap_hanging("Skip:  ", "       ", &titles(&skipped));
        }
    }
    text
}
