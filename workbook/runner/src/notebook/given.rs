//! The reader's path, and the exercises that are given: the page has the reference's body there, and
//! the reader doesn't write it.
//!
//! Both are kept in `.state/path`, and nothing on the page says so. A given body that the reader changes
//! is theirs from then on.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Notebook;
use super::page::read_sources;
use super::source::Function;
use crate::progress::{noted, save_replaced};
use crate::terminal::shown;
use crate::workbook::{read, write};
use exercises::Exercise;

/// What the reader has chosen.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// The name of the path. `None` if they've never chosen.
    pub path: Option<String>,
    /// The file that has it, if it's none of the workbook's.
    pub file: Option<PathBuf>,
    /// The numbers of the given exercises.
    pub given: BTreeSet<String>,
}

/// What becomes of an exercise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It's given, unless something is written there.
    Give,
    /// It's given, unless it's green. What's written there is saved.
    GiveUnlessGreen,
    /// It's given. What's written there is saved.
    GiveInAnyCase,
    /// It's an exercise again.
    TakeBack,
}

/// What has become of exercises.
#[derive(Debug, Default)]
pub struct Changed {
    /// Those that stay the reader's, because they've written something there.
    pub kept: Vec<String>,
    /// Copies of what the reader had written.
    pub saved: Vec<PathBuf>,
    /// Those that were given, and are exercises again.
    pub again: Vec<String>,
}

/// How far a page is written.
#[derive(Debug, Default)]
pub struct Written {
    /// The numbers of the given exercises.
    pub given: Vec<String>,
    /// The number of exercises before the first whose body is still the starter's.
    pub first: usize,
}

impl Changed {
    /// Says where the copies are.
    pub fn saved_in_words(&self) -> String {
        let copies: Vec<String> = self.saved.iter().map(|copy| shown(copy)).collect();
        if copies.is_empty() {
            return String::new();
        }
        format!("What you had is in {}. ", copies.join(", "))
    }
}

impl Notebook {
    /// Returns what the reader has chosen.
    pub fn choice(&self) -> Choice {
        let text = fs::read_to_string(self.choice_file()).unwrap_or_default();
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

    /// Notes what the reader has chosen.
    pub(crate) fn note_choice(&self, choice: &Choice) -> anyhow::Result<()> {
        let Choice { path, file, given } = choice;
        let file = file.as_deref().unwrap_or(Path::new("")).display();
        let given: Vec<&str> = given.iter().map(String::as_str).collect();
        let (path, given) = (path.as_deref().unwrap_or(""), given.join(" "));
        write(&self.choice_file(), &format!("path {path}\nfile {file}\ngiven {given}\n"))
    }

    /// Returns the file with what the reader has chosen.
    pub(crate) fn choice_file(&self) -> PathBuf {
        self.state().join("path")
    }

    /// Gives exercises of a step, or takes them back, and notes it in the reader's choice.
    pub fn change(
        &self,
        choice: &mut Choice,
        package: &str,
        exercises: &[Exercise],
        wanted: impl Fn(&Exercise) -> Option<Change>,
    ) -> anyhow::Result<Changed> {
        let (mut changed, mut bodies) = (Changed::default(), Bodies::of(self, package)?);
        let green = noted(self, package).filter(|progress| progress.is_current);
        let green = green.map_or(0, |progress| progress.green);
        for (index, exercise) in exercises.iter().enumerate() {
            let Some(change) = wanted(exercise) else { continue };
            let number = &exercise.number;
            let was_given = choice.given.contains(number);
            match (change, bodies.state_of(exercise)) {
                (Change::TakeBack, state) => {
                    if was_given {
                        changed.again.push(number.clone());
                    }
                    if was_given && state == Some(State::Ours) {
                        bodies.put_back(self, exercise)?;
                    }
                }
                (_, Some(State::Ours)) if was_given => (),
                (Change::GiveInAnyCase, Some(State::Own | State::Ours)) => {
                    changed.saved.push(bodies.save(self, exercise)?);
                    bodies.give(exercise)?;
                    choice.given.insert(number.clone());
                }
                (Change::GiveUnlessGreen, Some(State::Own)) if index >= green => {
                    changed.saved.push(bodies.save(self, exercise)?);
                    bodies.give(exercise)?;
                    choice.given.insert(number.clone());
                }
                (_, Some(State::Own | State::Ours)) => {
                    choice.given.remove(number);
                    changed.kept.push(number.clone());
                }
                (_, state) => {
                    if state == Some(State::Starter) {
                        // What was saved earlier isn't what will be put back.
                        let _ = fs::remove_file(self.kept_body(exercise));
                        bodies.give(exercise)?;
                    }
                    choice.given.insert(number.clone());
                }
            }
        }
        // In this order, so that a body of ours is never taken for the reader's if we're stopped.
        self.note_choice(choice)?;
        bodies.write()?;
        choice.given.retain(|number| !changed.again.contains(number));
        self.note_choice(choice)?;
        Ok(changed)
    }

    /// Finds out which exercises of a step are given, and how far its page is written.
    pub fn written(&self, package: &str, exercises: &[Exercise]) -> anyhow::Result<Written> {
        let (choice, bodies) = (self.choice(), Bodies::of(self, package)?);
        let is_given = |exercise: &&Exercise| {
            let is_changed = |state| state != State::Ours;
            choice.given.contains(&exercise.number)
                && !bodies.state_of(exercise).is_some_and(is_changed)
        };
        let given = exercises.iter().filter(is_given).map(|it| it.number.clone()).collect();
        let first = exercises.iter().position(|it| bodies.state_of(it) == Some(State::Starter));
        Ok(Written { given, first: first.unwrap_or(exercises.len()) })
    }

    /// Notes that an exercise isn't given any more.
    pub(crate) fn is_no_longer_given(&self, exercise: &Exercise) -> anyhow::Result<()> {
        let mut choice = self.choice();
        if choice.given.remove(&exercise.number) { self.note_choice(&choice) } else { Ok(()) }
    }

    /// Where we keep a body that's the reader's while ours is in its place.
    fn kept_body(&self, exercise: &Exercise) -> PathBuf {
        self.state().join("mine").join(format!("{}.rs", exercise.number))
    }
}

/// Returns true if two bodies are the same, apart from how they're laid out.
pub(crate) fn is_same(body: &str, other: &str) -> bool {
    body.split_whitespace().flat_map(str::chars).eq(other.split_whitespace().flat_map(str::chars))
}

/// What stands on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Starter,
    Ours,
    Own,
}

/// The sources of a page and of the reference. Those of a page that isn't there are empty.
struct Bodies {
    src: PathBuf,
    page: Vec<(PathBuf, String)>,
    reference: Vec<(PathBuf, String)>,
    changed: BTreeSet<usize>,
}

impl Bodies {
    fn of(notebook: &Notebook, package: &str) -> anyhow::Result<Bodies> {
        let src = notebook.page(package).join("src");
        let (mut page, mut reference) = (Vec::new(), Vec::new());
        if src.is_dir() {
            (page, reference) = (read_sources(&src)?, notebook.reference_for(package)?);
        }
        Ok(Bodies { src, page, reference, changed: BTreeSet::new() })
    }

    /// Returns what stands there for an exercise. `None` if we can't find it.
    fn state_of(&self, exercise: &Exercise) -> Option<State> {
        let (_, function) = find(&self.page, exercise)?;
        let (_, ours) = find(&self.reference, exercise)?;
        Some(match function {
            _ if function.is_not_written() => State::Starter,
            _ if is_same(function.body(), ours.body()) => State::Ours,
            _ => State::Own,
        })
    }

    /// Puts the reference's body there.
    fn give(&mut self, exercise: &Exercise) -> anyhow::Result<()> {
        let (_, ours) = find(&self.reference, exercise).context("the reference lacks it")?;
        let body = ours.body().to_owned();
        self.replace(exercise, |function| function.with_body(&body))
    }

    /// Puts back what the reader had written there, or else the starter.
    fn put_back(&mut self, notebook: &Notebook, exercise: &Exercise) -> anyhow::Result<()> {
        let kept = notebook.kept_body(exercise);
        if !kept.exists() {
            return self.replace(exercise, |function| function.starter(exercise));
        }
        let body = read(&kept)?;
        self.replace(exercise, |function| function.with_body(&body))
    }

    /// Saves what the reader has written there, once to stay and once to be put back.
    fn save(&self, notebook: &Notebook, exercise: &Exercise) -> anyhow::Result<PathBuf> {
        let (_, function) = find(&self.page, exercise).context("no such exercise")?;
        write(&notebook.kept_body(exercise), function.body())?;
        save_replaced(notebook, &exercise.name, function.whole())
    }

    fn replace(
        &mut self,
        exercise: &Exercise,
        replaced: impl FnOnce(&Function<'_>) -> String,
    ) -> anyhow::Result<()> {
        let (index, function) = find(&self.page, exercise).context("no such exercise")?;
        self.page[index].1 = replaced(&function);
        self.changed.insert(index);
        Ok(())
    }

    /// Writes the files that have changed. At no moment is one of them incomplete.
    fn write(&self) -> anyhow::Result<()> {
        for (name, text) in self.changed.iter().map(|index| &self.page[*index]) {
            let (file, new) = (self.src.join(name), self.src.join(".new"));
            write(&new, text)?;
            fs::rename(&new, &file).with_context(|| format!("write {}", file.display()))?;
        }
        Ok(())
    }
}

fn find<'a>(
    sources: &'a [(PathBuf, String)],
    exercise: &Exercise,
) -> Option<(usize, Function<'a>)> {
    let mut sources = sources.iter().enumerate();
    sources
        .find_map(|(index, (_, text))| Some((index, Function::find(text, &exercise.name).ok()??)))
}
