//! The workbook's own records in `work/.state`, such as the state of each judged page, the reader's
//! path, the number of hints shown, and copies of replaced bodies. Deleting this directory deletes
//! only these records and copies. The pages aren't affected.

use std::fs;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use exercises::Exercise;

use crate::judge::{Judged, Judgement, State};
use crate::notebook::Notebook;
use crate::notebook::page::{Page, fingerprint_of};
use crate::workbook::{read, write};

/// The state of a page when it was last judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// The number of exercises before the first exercise that was neither green nor given.
    pub green: usize,
    /// The numbers of all exercises that have been green at least once.
    pub reached: Vec<String>,
    /// The total number of exercises in the step.
    pub all: usize,
    /// True if the whole page was green, including every scene.
    pub is_green: bool,
    /// The name of the first exercise that was neither green nor given.
    pub first_red: Option<String>,
    /// True if the exercise in `first_red` had no body yet.
    pub awaits_a_body: bool,
    /// True if the page hasn't changed since its last judgement.
    pub is_current: bool,
    /// The time of the judgement, in seconds since 1970; 0 if the time wasn't recorded.
    judged_at: u64,
}

impl Progress {
    /// Returns true if the page was green in its last judgement and hasn't changed since.
    pub fn is_done(&self) -> bool {
        self.is_green && self.is_current
    }
}

/// Records the state of a page that has just been judged.
pub fn note(page: &Page, judgement: &Judgement) -> anyhow::Result<()> {
    let was_ever_green = |it: &&Judged| it.state == State::Green || it.was_green;
    let reached = judgement.exercises.iter().filter(was_ever_green);
    let reached: Vec<&str> = reached.map(|judged| judged.exercise.number.as_str()).collect();
    let awaits_a_body = judgement.exercises.iter().any(|it| it.state == State::NotWritten);
    let text = format!(
        "page {}\ngreen {}\nreached {}\nall {}\ndone {}\nred {}\nawaits {}\nat {}\n",
        page.fingerprint(),
        judgement.settled(),
        reached.join(" "),
        judgement.exercises.len(),
        judgement.is_green(),
        judgement.first_red().map_or("", |exercise| &exercise.name),
        awaits_a_body,
        seconds_since_1970(),
    );
    write(&verdict_file(&page.notebook, page.step.package), &text)
}

/// Returns the recorded state of a page, or `None` if there's no readable record of a judgement.
pub fn noted(notebook: &Notebook, package: &str) -> Option<Progress> {
    let text = read(&verdict_file(notebook, package)).ok()?;
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.map(str::trim).unwrap_or_default()
    };
    Some(Progress {
        green: field("green ").parse().ok()?,
        reached: field("reached ").split_whitespace().map(str::to_owned).collect(),
        all: field("all ").parse().ok()?,
        is_green: field("done ") == "true",
        first_red: Some(field("red ").to_owned()).filter(|name| !name.is_empty()),
        awaits_a_body: field("awaits ") == "true",
        is_current: fingerprint_of(&notebook.page(package)).ok()? == field("page "),
        judged_at: field("at ").parse().unwrap_or(0),
    })
}

/// Returns the step to continue with: the first unfinished step from `here` on or, failing that,
/// the first unfinished step of all. Without `here`, the search begins with the step that was
/// judged last. Returns `None` if all steps are done.
pub fn next_step(notebook: &Notebook, here: Option<&str>) -> anyhow::Result<Option<String>> {
    let steps = notebook.workbook.steps()?;
    let all: Vec<Option<Progress>> = steps.iter().map(|step| noted(notebook, step)).collect();
    let judged_at = |index: &usize| all[*index].as_ref().map(|progress| progress.judged_at);
    let here = match here {
        Some(here) => steps.iter().position(|step| step == here),
        None => (0..steps.len()).filter(|index| judged_at(index).is_some()).max_by_key(judged_at),
    };
    let from_here_on = (here.unwrap_or(0)..steps.len()).chain(0..here.unwrap_or(0));
    let given = notebook.choice().given;
    let is_all_given = |index: usize| {
        let exercises = exercises::read(&notebook.workbook.step(&steps[index]));
        exercises.is_ok_and(|all| all.iter().all(|exercise| given.contains(&exercise.number)))
    };
    let is_done =
        |index: usize| all[index].as_ref().is_some_and(Progress::is_done) || is_all_given(index);
    Ok(from_here_on.into_iter().find(|index| !is_done(*index)).map(|index| steps[index].clone()))
}

/// Saves the last verdict for the report that a reader can attach to a question.
pub fn note_verdict(notebook: &Notebook, verdict: &str) -> anyhow::Result<()> {
    write(&last_verdict_file(notebook), verdict)
}

/// Returns the last verdict, if one was saved.
pub fn last_verdict(notebook: &Notebook) -> Option<String> {
    read(&last_verdict_file(notebook)).ok()
}

fn last_verdict_file(notebook: &Notebook) -> PathBuf {
    notebook.state().join("last_verdict")
}

/// Returns the number of an exercise's hints that the reader has seen.
pub fn hints_shown(notebook: &Notebook, exercise: &Exercise) -> usize {
    let text = fs::read_to_string(hint_file(notebook, exercise)).unwrap_or_default();
    text.trim().parse().unwrap_or(0)
}

/// Records the number of an exercise's hints that the reader has seen.
pub fn note_hints(notebook: &Notebook, exercise: &Exercise, shown: usize) -> anyhow::Result<()> {
    write(&hint_file(notebook, exercise), &format!("{shown}\n"))
}

/// Saves a copy of text that is about to be replaced and returns the copy's path.
pub fn save_replaced(notebook: &Notebook, name: &str, text: &str) -> anyhow::Result<PathBuf> {
    let seconds = seconds_since_1970();
    let dir = notebook.state().join("replaced");
    let mut copies = (0..).map(|again| dir.join(format!("{name}.{seconds}.{again}.rs")));
    let copy = copies.find(|copy| !copy.exists()).unwrap_or_default();
    write(&copy, text)?;
    Ok(copy)
}

fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn verdict_file(notebook: &Notebook, package: &str) -> PathBuf {
    notebook.state().join("verdicts").join(package)
}

/// Returns the file that records how many of an exercise's hints the reader has seen. The file is
/// named after the exercise's number, because exercises in two steps can have the same name.
fn hint_file(notebook: &Notebook, exercise: &Exercise) -> PathBuf {
    notebook.state().join("hints").join(&exercise.number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbook::Workbook;

    #[test]
    fn exercises_with_the_same_name_have_hints_of_their_own() {
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        let dir = workbook.root.join("target/hints-of-their-own");
        let _ = fs::remove_dir_all(&dir);
        let exercise = |number: &str| {
            let text = format!(
                "[[exercise]]\nnumber = '{number}'\nname = 'poll'\ntask = 'x'\nminutes = 1\n\
                 scenes = []\nquestion = 'x'\nmethod = 'x'\n"
            );
            exercises::parse(&text).unwrap().remove(0)
        };
        let (one, other) = (exercise("2.8"), exercise("6.4"));
        let notebook = Notebook { workbook, dir };
        note_hints(&notebook, &one, 2).unwrap();
        assert_eq!((hints_shown(&notebook, &one), hints_shown(&notebook, &other)), (2, 0));
    }
}
