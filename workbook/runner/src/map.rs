//! `cargo run` in the workbook's root: the map of the steps and the library. The map shows the
//! green exercises, the predictions, the minutes left, and what to write and read next.

use std::process::ExitCode;

use exercises::Exercise;
use exercises::paths::Path;

use crate::path;
use judging::Step;
use judging::judge::State;
use judging::notebook::Notebook;
use judging::step::FROM_SCRATCH;
use judging::terminal::Terminal;
use judging::workbook::Workbook;
use runner::chapter::Prediction;
use runner::class;
use runner::json::Json;
use runner::part::Part;
use runner::predict::score::{Score, Scores};
use runner::reading::{self, Stretch, all_done, has_any, next_part};
use runner::{COMMANDS, events, object};

/// The contents of the map.
pub(crate) struct Map<'a> {
    pub(crate) path: Path,
    rows: Vec<Row<'a>>,
    /// The step to continue with. `None` if everything is done.
    next: Option<String>,
}

impl<'a> Map<'a> {
    pub(crate) fn of(notebook: &'a Notebook) -> anyhow::Result<Map<'a>> {
        let path = reading::chosen(notebook)?;
        // The map is useful even if the scores can't be read.
        let scores = Scores::of(notebook).ok();
        let row = |package: &String| {
            let step = Step::without_checks(&notebook.workbook, package)?;
            Ok(Row::of(Part::noted(notebook, &step), &path, scores.as_ref()))
        };
        let mut parts = notebook.workbook.parts()?;
        parts.retain(|it| it != FROM_SCRATCH || has_any(&path, &notebook.workbook, it));
        let rows: anyhow::Result<_> = parts.iter().map(row).collect();
        Ok(Map { rows: rows?, next: next_part(notebook, None)?, path })
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part<'a>> {
        self.rows.iter().map(|row| &row.part)
    }

    /// Returns the next exercise to write and the sections to read or skip before it.
    fn next(&self) -> Option<Next<'_>> {
        let step = self.next.as_ref()?;
        let part = self.parts().find(|part| part.step.package == *step);
        let exercise = part.and_then(|part| part.left().next());
        let mut stretches = Vec::new();
        if let (Some(part), Some(exercise)) = (part, exercise) {
            let (chapter, all) = (&part.chapter, part.step.exercises);
            let sections = reading::before(chapter, all, |it| part.is_given(it), exercise);
            stretches = reading::stretches(&self.path, sections);
        }
        Some(Next { step, exercise, stretches })
    }
}

/// The next exercise to write and the sections to read or skip before it.
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
    for row in &map.rows {
        let description = notebook.workbook.description(row.part.step.package)?;
        text += &row.shown(&terminal, &description);
    }
    text += &in_all(&map.rows);
    text.push('\n');
    text += &match map.next() {
        Some(next) => next.shown(&terminal, &notebook),
        None => all_done(&notebook)?.iter().map(|words| terminal.wrap("", words)).collect(),
    };
    let (path, book) = (&map.path.name, notebook.typed(Some("book"), " -- serve"));
    text += &format!("Path:  {path}; for other paths: {}\n", notebook.typed(None, " -- path"));
    if let Some(class) = class::in_words(&notebook) {
        text += &terminal.wrap_hanging("Class: ", "       ", &class);
    }
    if !map.parts().any(|part| part.step.is_from_scratch()) {
        // An incomplete copy of the workbook may lack the loop from scratch.
        let alone = from_scratch(&notebook);
        text.extend(alone.map(|it| terminal.wrap_hanging("Alone: ", "       ", &it)));
    }
    text += &format!("Book:  {book}\nMore:  {}\n", notebook.typed(None, " -- help"));
    terminal.print(&text);
    Ok(ExitCode::SUCCESS)
}

/// Returns text that says how to build a loop from scratch and how far the reader has got.
fn from_scratch(notebook: &Notebook) -> anyhow::Result<String> {
    let step = Step::without_checks(&notebook.workbook, FROM_SCRATCH)?;
    let part = Part::noted(notebook, &step);
    let (green, all) = (part.count(State::Green), part.to_write());
    let command = notebook.typed(None, " -- from-scratch");
    Ok(format!("{command}, a loop of your own in an empty file; {green} of {all} stages are green"))
}

/// Sends the map and the details of each exercise to another program.
pub(crate) fn list(workbook: Workbook) -> anyhow::Result<ExitCode> {
    let notebook = Notebook::of(workbook);
    notebook.check_edition()?;
    let map = Map::of(&notebook)?;
    let parts: anyhow::Result<Vec<Json>> = map.parts().map(|part| part.told(&map.path)).collect();
    let next = map.next().map(|next| next.told(&notebook));
    events::list(&notebook, parts?.into(), next.into());
    Ok(ExitCode::SUCCESS)
}

/// Returns the command line for a step's command, such as `hint`, in the step to continue with.
/// Returns `None` if steps don't have this command.
pub(crate) fn typed_for_a_step(workbook: Workbook, words: &[&str]) -> Option<String> {
    words.first().filter(|command| COMMANDS.contains(command) && **command != "help")?;
    let notebook = Notebook::of(workbook);
    let first = notebook.workbook.steps().ok()?.into_iter().next();
    let step = next_part(&notebook, None).ok().flatten().or(first)?;
    Some(notebook.typed(Some(&step), &format!(" -- {}", words.join(" "))))
}

/// A row of the map: the reader's progress in a step.
struct Row<'a> {
    part: Part<'a>,
    predicted: usize,
    /// The number of predictions that the path asks for.
    to_predict: usize,
}

impl<'a> Row<'a> {
    fn of(part: Part<'a>, path: &Path, scores: Option<&Scores>) -> Row<'a> {
        let is_made = |it: &&Prediction| {
            let score = scores.and_then(|scores| scores.get(&it.package, &it.scene));
            score.is_some_and(Score::is_complete)
        };
        let predicted = part.asked(path).filter(is_made).count();
        let to_predict = part.asked(path).count();
        Row { part, predicted, to_predict }
    }

    fn shown(&self, terminal: &Terminal, description: &str) -> String {
        let Part { step, progress, is_done, .. } = &self.part;
        if self.part.to_write() == 0 {
            let line = row("○", step.package, "given", "", "");
            return terminal.dim(&format!("{}\n", line.trim_end()));
        }
        let line = row(
            if *is_done { "✓" } else { "·" },
            step.package,
            &format!("{} of {}", self.part.count(State::Green), self.part.to_write()),
            &format!("{} of {}", self.predicted, self.to_predict),
            &self.part.minutes_left().to_string(),
        );
        let line = if *is_done { terminal.green(&line) } else { line };
        let given = match self.part.count(State::Given) {
            0 => String::new(),
            given => format!(" Given: {given} more."),
        };
        let state = match progress {
            None => " Not started.",
            Some(progress) if !progress.is_current => " Changed since it was judged.",
            Some(progress) if self.part.left().next().is_none() && !progress.is_green => {
                " A scene that belongs to no exercise isn't green."
            }
            Some(_) => "",
        };
        let state = given + state;
        let full_stop = if state.is_empty() || description.ends_with('.') { "" } else { "." };
        line + &terminal.wrap("    ", &format!("{description}{full_stop}{state}"))
    }
}

fn in_all(rows: &[Row<'_>]) -> String {
    let sum = |count: fn(&Row<'_>) -> usize| rows.iter().map(count).sum::<usize>();
    row(
        "",
        "in all",
        &format!("{} of {}", sum(|it| it.part.count(State::Green)), sum(|it| it.part.to_write())),
        &format!("{} of {}", sum(|it| it.predicted), sum(|it| it.to_predict)),
        &rows.iter().map(|it| it.part.minutes_left()).sum::<u32>().to_string(),
    )
}

/// Formats a row of the table, at most 60 columns wide.
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
