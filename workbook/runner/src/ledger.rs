//! What the workbook notes down in `work/.state`: verdicts for the map, hints that were shown, and
//! copies of what `reset` has replaced. Losing it loses nothing of the reader's.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::judge::Judgement;
use crate::notebook::Notebook;
use crate::root::{read, write};
use crate::source::layer_files;

/// How a page stood when it was judged last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    /// How many exercises were green.
    pub green: usize,
    /// How many there are.
    pub all: usize,
    /// The whole page was green, with every scene.
    pub is_green: bool,
    /// The first exercise that was not, by name.
    pub first_red: Option<String>,
    /// The page is still the one that was judged.
    pub is_current: bool,
}

/// Notes how a page stands.
pub fn note(notebook: &Notebook, package: &str, judgement: &Judgement) -> anyhow::Result<()> {
    let green = judgement.exercises.iter().filter(|judged| judged.state.words() == "green");
    let text = format!(
        "page {}\ngreen {}\nall {}\ndone {}\nred {}\n",
        fingerprint(notebook, package)?,
        green.count(),
        judgement.exercises.len(),
        judgement.is_green(),
        judgement.first_red().map_or("", |exercise| exercise.name),
    );
    write(&verdict_file(notebook, package), &text)
}

/// How a page stood; `None` if it has never been judged.
pub fn noted(notebook: &Notebook, package: &str) -> Option<Noted> {
    let text = read(&verdict_file(notebook, package)).ok()?;
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.map(str::trim).unwrap_or_default()
    };
    Some(Noted {
        green: field("green ").parse().ok()?,
        all: field("all ").parse().ok()?,
        is_green: field("done ") == "true",
        first_red: Some(field("red ").to_owned()).filter(|name| !name.is_empty()),
        is_current: fingerprint(notebook, package).ok()? == field("page "),
    })
}

/// How many hints of an exercise have been shown.
pub(crate) fn hints_shown(notebook: &Notebook, exercise: &str) -> usize {
    let text = fs::read_to_string(hint_file(notebook, exercise)).unwrap_or_default();
    text.trim().parse().unwrap_or(0)
}

/// Notes how many hints of an exercise have been shown.
pub(crate) fn note_hints(notebook: &Notebook, exercise: &str, shown: usize) -> anyhow::Result<()> {
    write(&hint_file(notebook, exercise), &format!("{shown}\n"))
}

/// Keeps a copy of a text that is about to be replaced, and says where.
pub(crate) fn keep(notebook: &Notebook, name: &str, text: &str) -> anyhow::Result<PathBuf> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let dir = notebook.state().join("replaced");
    let mut copies = (0..).map(|again| dir.join(format!("{name}.{seconds}.{again}.rs")));
    let copy = copies.find(|copy| !copy.exists()).unwrap_or_default();
    write(&copy, text)?;
    Ok(copy)
}

/// Tells one state of a page's sources from another.
pub(crate) fn fingerprint(notebook: &Notebook, package: &str) -> anyhow::Result<String> {
    let src = notebook.page(package).join("src");
    let mut hasher = DefaultHasher::new();
    for file in layer_files(&src)? {
        file.hash(&mut hasher);
        read(&src.join(&file))?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn verdict_file(notebook: &Notebook, package: &str) -> PathBuf {
    notebook.state().join("verdicts").join(package)
}

fn hint_file(notebook: &Notebook, exercise: &str) -> PathBuf {
    notebook.state().join("hints").join(exercise)
}
