//! The workbook's own notes in `work/.state`: verdicts for the map and `hint`, the number of hints
//! shown, and copies of the bodies that `reset` replaced. Deleting the directory loses no page,
//! only the progress notes and those copies.

use std::fs;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::judge::{Judgement, State};
use crate::notebook::Notebook;
use crate::notebook::page::{Page, fingerprint_of};
use crate::workbook::{read, write};

/// The state of a page when it was last judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// The number of exercises that were green.
    pub green: usize,
    /// The number of exercises in the step.
    pub all: usize,
    /// True if the whole page was green, with every scene.
    pub is_green: bool,
    /// The name of the first exercise that wasn't green.
    pub first_red: Option<String>,
    /// True if the page hasn't changed since it was judged.
    pub is_current: bool,
}

/// Notes the state of a page.
pub(crate) fn note(page: &Page, judgement: &Judgement) -> anyhow::Result<()> {
    let green = judgement.exercises.iter().filter(|judged| judged.state == State::Green);
    let text = format!(
        "page {}\ngreen {}\nall {}\ndone {}\nred {}\n",
        page.fingerprint(),
        green.count(),
        judgement.exercises.len(),
        judgement.is_green(),
        judgement.first_red().map_or("", |exercise| exercise.name),
    );
    write(&verdict_file(&page.notebook, page.step.package), &text)
}

/// Returns the noted state of a page, or `None` if it has never been judged or can't be read.
pub fn noted(notebook: &Notebook, package: &str) -> Option<Progress> {
    let text = read(&verdict_file(notebook, package)).ok()?;
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.map(str::trim).unwrap_or_default()
    };
    Some(Progress {
        green: field("green ").parse().ok()?,
        all: field("all ").parse().ok()?,
        is_green: field("done ") == "true",
        first_red: Some(field("red ").to_owned()).filter(|name| !name.is_empty()),
        is_current: fingerprint_of(&notebook.page(package)).ok()? == field("page "),
    })
}

/// Returns the number of hints of an exercise that have been shown.
pub(crate) fn hints_shown(notebook: &Notebook, exercise: &str) -> usize {
    let text = fs::read_to_string(hint_file(notebook, exercise)).unwrap_or_default();
    text.trim().parse().unwrap_or(0)
}

/// Notes the number of hints of an exercise that have been shown.
pub(crate) fn note_hints(notebook: &Notebook, exercise: &str, shown: usize) -> anyhow::Result<()> {
    write(&hint_file(notebook, exercise), &format!("{shown}\n"))
}

/// Saves a copy of a text that is about to be replaced, and returns the copy's path.
pub(crate) fn save_replaced(
    notebook: &Notebook,
    name: &str,
    text: &str,
) -> anyhow::Result<PathBuf> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let dir = notebook.state().join("replaced");
    let mut copies = (0..).map(|again| dir.join(format!("{name}.{seconds}.{again}.rs")));
    let copy = copies.find(|copy| !copy.exists()).unwrap_or_default();
    write(&copy, text)?;
    Ok(copy)
}

fn verdict_file(notebook: &Notebook, package: &str) -> PathBuf {
    notebook.state().join("verdicts").join(package)
}

pub(crate) fn hint_file(notebook: &Notebook, exercise: &str) -> PathBuf {
    notebook.state().join("hints").join(exercise)
}
