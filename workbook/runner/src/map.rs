//! `cargo run` in the workbook's root: the map of the steps and the library. It shows what is green, what was
//! predicted, how many minutes are left, and what to write and to read next.

use std::process::ExitCode;

use exercises::Exercise;
use exercises::paths::Path;

use crate::path;
use runner::chapter::{Chapter, Prediction};
use runner::class;
use runner::json::Json;
use runner::notebook::Notebook;
use runner::part::Part;
use runner::predict::score::{Score, Scores};
use runner::progress::{Progress, all_done, next_step, noted};
use runner::reading::{self, Stretch};
use runner::terminal::Terminal;
use runner::workbook::Workbook;
use runner::{COMMANDS, Step, events, object};

/// Everything that the map shows.
pub(crate) struct Map {
    pub(crate) path: Path,
    pub(crate) places: Vec<Place>,
    /// The step to go on with. `None` if all is done.
    next: Option<String>,
}

impl Map {
    pub(crate) fn of(notebook: &Notebook) -> anyhow::Result<Map> {
        let path = reading::chosen(notebook)?;
        // Scores that can't be read are no reason to show no map.
        let scores = Scores::of(notebook).ok();
        let steps = notebook.workbook.steps()?;
        let places: anyhow::Result<Vec<Place>> =
            steps.iter().map(|step| Place::of(notebook, step, &path, scores.as_ref())).collect();
        Ok(Map { places: places?, next: next_step(notebook, None)?, path })
    }

    /// Returns what to write and to read next.
    fn next(&self) -> Option<Next<'_>> {
        let step = self.next.as_ref()?;
        let place = self.places.iter().find(|place| place.step == *step);
        let exercise = place.and_then(|place| place.left().next());
        let mut stretches = Vec::new();
        if let (Some(place), Some(exercise)) = (place, exercise) {
            let (chapter, all) = (&place.chapter, &place.exercises);
            let sections = reading::before(chapter, all, |it| place.is_given(it), exercise);
            stretches = reading::stretches(&self.path, sections);
        }
        Some(Next { step, exercise, stretches })
    }
}

/// What to write and to read next.
struct Next<'a> {
    step: &'a str,
    exercise: Option<&'a Exercise>,
    stretches: Vec<Stretch<'a>>,
}

/// Shows the map.
pub(crate) fn map(workbook: Workbook) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let notebook = Notebook::of(workbook);
    notebook.check_edition()?;
    path::ask_once(&notebook)?;
    let map = Map::of(&notebook)?;
    let mut text = format!("{}\n\n", terminal.bold("The event loop workbook"));
    text += &terminal.dim(&row("", "", "exercises", "predictions", "minutes left"));
    for place in &map.places {
        let description = notebook.workbook.description(&place.step)?;
        text += &place.shown(&terminal, &description);
    }
    text += &in_all(&map.places);
    text.push('\n');
    text += &match map.next() {
        Some(next) => next.shown(&terminal, &notebook),
        None => all_done(&notebook)?.iter().map(|words| terminal.wrap("", words)).collect(),
    };
    let (path, book) = (&map.path.name, notebook.typed(Some("book"), " -- serve"));
    text += &format!("Path:  {path}; for others: {}\n", notebook.typed(None, " -- path"));
    if let Some(class) = class::in_words(&notebook) {
        text += &terminal.wrap_hanging("Class: ", "       ", &class);
    }
    text += &format!("Book:  {book}\nMore:  {}\n", notebook.typed(None, " -- help"));
    terminal.print(&text);
    Ok(ExitCode::SUCCESS)
}

/// Tells another program what the map shows, and more of each exercise.
pub(crate) fn list(workbook: Workbook) -> anyhow::Result<ExitCode> {
    let notebook = Notebook::of(workbook);
    notebook.check_edition()?;
    let map = Map::of(&notebook)?;
    let mut parts = Vec::new();
    for place in &map.places {
        let step = Step::without_checks(&notebook.workbook, &place.step)?;
        parts.push(Part::noted(&notebook, &step).told(place.asked(&map.path))?);
    }
    let next = map.next().map(|next| next.told(&notebook));
    events::list(&notebook, parts.into(), next.into());
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
pub(crate) struct Place {
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
        let mut place = Place {
            step: step.to_owned(),
            given: written.given,
            settled: progress.as_ref().map_or(0, |it| it.green).min(written.first),
            predicted: 0,
            to_predict: 0,
            progress,
            exercises,
            chapter,
        };
        (place.predicted, place.to_predict) = place.asked(path).fold((0, 0), |(made, all), it| {
            (made + usize::from(is_made(&it.package, &it.scene)), all + 1)
        });
        Ok(place)
    }

    /// Returns the predictions that are asked for on the path.
    fn asked<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Prediction> {
        reading::asked(path, &self.chapter)
    }

    /// Says it in a line.
    pub(crate) fn in_short(&self) -> String {
        let Place { step, progress, given, .. } = self;
        let state = match progress {
            _ if self.to_write() == 0 => "given",
            None => "not begun",
            Some(progress) if !progress.is_current => "changed since it was judged",
            Some(progress) if progress.is_green => "green",
            Some(_) => "judged in this state",
        };
        let next = self.left().next().map(|next| format!(", next {} {}", next.number, next.name));
        let (green, to_write, next) = (self.green(), self.to_write(), next.unwrap_or_default());
        format!("{step}: {green} of {to_write} green, {} given, {state}{next}", given.len())
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

impl Next<'_> {
    fn shown(&self, terminal: &Terminal, notebook: &Notebook) -> String {
        let command = notebook.typed(Some(self.step), "");
        let mut text = format!("Next:  {}\n", terminal.bold(&command));
        if let Some(next) = self.exercise {
            let about = format!("{} {}, about {} min", next.number, next.name, next.minutes);
            text += &terminal.wrap("       ", &about);
        }
        text + &reading::in_lines(terminal, &notebook.workbook, "", &self.stretches)
    }

    fn told(&self, notebook: &Notebook) -> Json {
        let read = self.stretches.iter().filter(|stretch| stretch.is_read);
        let sections = read.flat_map(|stretch| stretch.sections).map(|section| {
            object! { title: &section.title, place: section.link() }
        });
        object! {
            package: self.step,
            exercise: self.exercise.map(|exercise| &exercise.number),
            command: notebook.typed(Some(self.step), ""),
            sections: Json::list(sections),
        }
    }
}
