//! The reader's path and the given exercises. For a given exercise, the page contains the
//! reference's body, so the reader doesn't have to write one.
//!
//! The path and the list of given exercises are stored in `.state/path` and not on the pages. Once
//! the reader changes a given body, the exercise is no longer given.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Notebook;
use super::page::Page;
use super::source::Function;
use crate::Step;
use crate::progress::{noted, save_replaced};
use crate::terminal::shown;
use crate::workbook::{read, write};
use exercises::Exercise;

/// The reader's path and given exercises.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// The name of the path. `None` if the reader has never chosen a path.
    pub path: Option<String>,
    /// The file that defines the path, unless the path is one of the workbook's own.
    pub file: Option<PathBuf>,
    /// The numbers of the given exercises.
    pub given: BTreeSet<String>,
}

/// A way to change whether an exercise is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Give the exercise, unless the reader has written a body.
    Give,
    /// Give the exercise, unless it was green when the page was last judged and the page hasn't
    /// changed since, or the reader's own body is the same as the reference's. A body that the
    /// reader has written is saved first.
    GiveUnlessGreen,
    /// Give the exercise. A body that the reader has written is saved first.
    GiveInAnyCase,
    /// Make the exercise the reader's task again.
    TakeBack,
}

/// The results of a change to several exercises.
#[derive(Debug, Default)]
pub struct Changed {
    /// The numbers of the exercises that remain the reader's task because the reader has written
    /// their bodies.
    pub kept: Vec<String>,
    /// The copies of the reader's replaced bodies.
    pub saved: Vec<PathBuf>,
    /// The numbers of the previously given exercises that are now the reader's task again.
    pub again: Vec<String>,
}

impl Changed {
    /// Returns a sentence that says where the copies are, or an empty string if there are none.
    pub fn saved_in_words(&self) -> String {
        let copies: Vec<String> = self.saved.iter().map(|copy| shown(copy)).collect();
        if copies.is_empty() {
            return String::new();
        }
        let what = if copies.len() == 1 { "version is" } else { "versions are" };
        format!("Your {what} in {}. ", copies.join(", "))
    }
}

impl Notebook {
    /// Returns the reader's choice. For a reader who has never chosen a path, the optional
    /// exercises are given.
    pub fn choice(&self) -> Choice {
        let Ok(text) = fs::read_to_string(self.choice_file()) else {
            return Choice { given: self.optional(), ..Choice::default() };
        };
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.map(str::trim).filter(|value| !value.is_empty())
        };
        Choice {
            path: field("path ").map(str::to_owned),
            file: field("file ").map(PathBuf::from),
            given: field("given ").unwrap_or("").split_whitespace().map(str::to_owned).collect(),
        }
    }

    /// Returns the numbers of the optional exercises. Ignores unreadable files, because the code
    /// that needs the exercises reports these files.
    fn optional(&self) -> BTreeSet<String> {
        let steps = self.workbook.steps().unwrap_or_default().into_iter();
        let all = steps.map(|step| exercises::optional(&self.workbook.step(&step)));
        all.flat_map(Result::unwrap_or_default).collect()
    }

    /// Records the reader's choice.
    pub(crate) fn note_choice(&self, choice: &Choice) -> anyhow::Result<()> {
        let Choice { path, file, given } = choice;
        let file = file.as_deref().unwrap_or(Path::new("")).display();
        let given: Vec<&str> = given.iter().map(String::as_str).collect();
        let (path, given) = (path.as_deref().unwrap_or(""), given.join(" "));
        write(&self.choice_file(), &format!("path {path}\nfile {file}\ngiven {given}\n"))
    }

    /// Returns the file with the reader's choice.
    pub fn choice_file(&self) -> PathBuf {
        self.state().join("path")
    }

    /// Turns some of a step's exercises into given exercises, or makes them the reader's task
    /// again, and updates the reader's choice.
    pub fn change(
        &self,
        choice: &mut Choice,
        step: &Step,
        wanted: impl Fn(&Exercise) -> Option<Change>,
    ) -> anyhow::Result<Changed> {
        let has_page = self.page(step.package).join("src").is_dir();
        let mut page = has_page.then(|| self.open(step)).transpose()?.map(|(page, _)| page);
        let green = noted(self, step.package).filter(|progress| progress.is_current);
        let green = green.map_or(0, |progress| progress.green);
        let mut changed = Changed::default();
        let mut bodies = Vec::new();
        for (index, exercise) in step.exercises.iter().enumerate() {
            let Some(change) = wanted(exercise) else { continue };
            let number = &exercise.number;
            let was_given = choice.given.contains(number);
            let on_page = page.as_ref().and_then(|page| OnPage::of(page, exercise));
            match (change, on_page) {
                (Change::TakeBack, on_page) => {
                    if was_given {
                        changed.again.push(number.clone());
                    }
                    if was_given && on_page.is_some_and(|it| it.state == State::Ours) {
                        let kept = self.kept_body(exercise);
                        bodies.push((exercise, kept.exists().then(|| read(&kept)).transpose()?));
                    }
                }
                (_, Some(OnPage { state: State::Ours, .. })) if was_given => (),
                (_, Some(it)) if it.is_replaced_by(change, index < green) => {
                    // We save the body twice. This copy is put back on the page if the reader takes
                    // the exercise back, and the next copy is never removed.
                    write(&self.kept_body(exercise), it.function.body())?;
                    let copy = save_replaced(self, &exercise.name, it.function.whole())?;
                    changed.saved.push(copy);
                    bodies.push((exercise, Some(it.ours.to_owned())));
                    choice.given.insert(number.clone());
                }
                (_, Some(OnPage { state: State::Starter, ours, .. })) => {
                    // A body that was saved earlier must not be put back.
                    let _ = fs::remove_file(self.kept_body(exercise));
                    bodies.push((exercise, Some(ours.to_owned())));
                    choice.given.insert(number.clone());
                }
                (_, Some(_)) => {
                    choice.given.remove(number);
                    changed.kept.push(number.clone());
                }
                // Our body can't be put into a page on which its place isn't found.
                (_, None) if has_page => (),
                (_, None) => drop(choice.given.insert(number.clone())),
            }
        }
        // We record newly given exercises before we write their bodies, and exercises that are
        // taken back only afterwards. So after an interruption, we never mistake one of our bodies
        // for the reader's.
        self.note_choice(choice)?;
        for (exercise, body) in bodies {
            let page = page.as_mut().context("a body is only replaced on a page")?;
            match body {
                Some(body) => drop(page.set_body(exercise, &body)?),
                None => page.start_over(exercise)?,
            }
        }
        choice.given.retain(|number| !changed.again.contains(number));
        self.note_choice(choice)?;
        Ok(changed)
    }

    /// Records that an exercise is no longer given.
    pub fn is_no_longer_given(&self, exercise: &Exercise) -> anyhow::Result<()> {
        let mut choice = self.choice();
        if choice.given.remove(&exercise.number) { self.note_choice(&choice) } else { Ok(()) }
    }

    /// Returns the file that keeps a reader's body while the page contains ours instead.
    fn kept_body(&self, exercise: &Exercise) -> PathBuf {
        self.state().join("mine").join(format!("{}.rs", exercise.number))
    }
}

/// Returns true if two bodies are the same apart from their layout.
pub(crate) fn is_same(body: &str, other: &str) -> bool {
    body.split_whitespace().flat_map(str::chars).eq(other.split_whitespace().flat_map(str::chars))
}

/// The page's function for an exercise.
struct OnPage<'a> {
    state: State,
    function: Function<'a>,
    /// The reference's body.
    ours: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Starter,
    Ours,
    Own,
}

impl<'a> OnPage<'a> {
    /// Finds an exercise's function on a page. Returns `None` if the page doesn't contain the
    /// exercise.
    fn of(page: &'a Page, exercise: &Exercise) -> Option<OnPage<'a>> {
        let function = page.function(exercise).ok()?;
        let ours = &page.exercise(exercise).ok()?.solution.body;
        let state = match &function {
            function if function.is_not_written() => State::Starter,
            function if is_same(function.body(), ours) => State::Ours,
            _ => State::Own,
        };
        Some(OnPage { state, function, ours })
    }

    /// Returns true if a change saves the reader's body and puts ours in its place.
    fn is_replaced_by(&self, change: Change, is_green: bool) -> bool {
        match change {
            Change::GiveInAnyCase => self.state != State::Starter,
            Change::GiveUnlessGreen => self.state == State::Own && !is_green,
            Change::Give | Change::TakeBack => false,
        }
    }
}
