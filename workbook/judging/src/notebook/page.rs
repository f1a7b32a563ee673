//! One of the notebook's pages: its files, the locations of its exercises, and their solutions.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::given::is_same;
use super::hidden::Parts;
use super::source::{Function, read_sources, starter};
use super::{Notebook, Opened};
use crate::Step;
use crate::workbook::{read, write};
use exercises::Exercise;

/// A page, with its contents as we last read or wrote them.
#[derive(Debug)]
pub struct Page {
    /// The page's step.
    pub step: Step,
    /// True if the page's sources were those of a new page when we read them.
    pub(crate) is_untouched: bool,
    /// The page's notebook.
    pub notebook: Notebook,
    /// The reader's sources.
    pub files: Vec<SourceFile>,
    /// The exercises, in the order in which a reader solves them.
    pub exercises: Vec<PageExercise>,
    /// The numbers of the given exercises whose bodies the reader hasn't changed.
    given: Vec<String>,
}

/// One of the reader's source files.
#[derive(Debug)]
pub struct SourceFile {
    /// The file's path.
    pub path: PathBuf,
    /// The file's content.
    pub text: String,
}

/// An exercise, with its location on the page and its solution.
#[derive(Debug)]
pub struct PageExercise {
    /// The exercise.
    pub exercise: &'static Exercise,
    /// The index in [`Page::files`] of the file that contains the exercise or should contain it.
    pub file: usize,
    /// The line with `fn`, or `None` if none of the reader's files contains the function between
    /// its two anchors.
    pub line: Option<usize>,
    /// The reference's function.
    pub solution: Solution,
}

/// The reference's version of an exercise.
#[derive(Debug)]
pub struct Solution {
    /// The function's file.
    pub file: PathBuf,
    /// The line with `fn`.
    pub line: usize,
    /// The function with its docs.
    pub function: String,
    /// The function's body.
    pub body: String,
    /// The text of the functions that the body calls and the page hides.
    pub calls: String,
}

impl Page {
    /// Creates any files that are missing from the page, and then reads the page.
    pub(super) fn open(
        notebook: &Notebook,
        step: &Step,
        reference: &Parts,
        opened: &mut Opened,
    ) -> anyhow::Result<Page> {
        let src = notebook.page(step.package).join("src");
        let given = notebook.choice().given;
        let is_to_write = |exercise: &&Exercise| !given.contains(&exercise.number);
        let mut as_made = Vec::new();
        for (name, text) in &reference.page {
            let exercises = step.exercises.iter().filter(is_to_write);
            let text = starter(text, exercises).with_context(|| name.display().to_string())?;
            opened.make(&src.join(name), || Ok(text.clone()))?;
            as_made.push((name.clone(), text));
        }
        let sources = read_sources(&src)?;
        let is_untouched = sources == as_made;
        let files = sources
            .into_iter()
            .map(|(name, text)| SourceFile { path: src.join(name), text })
            .collect();
        let (notebook, exercises, none) = (notebook.clone(), Vec::new(), Vec::new());
        let mut page = Page { step: *step, is_untouched, notebook, files, exercises, given: none };
        for exercise in step.exercises {
            let located = page.locate(exercise, reference, opened)?;
            page.exercises.push(located);
        }
        let is_given = |it: &&PageExercise| {
            given.contains(&it.exercise.number)
                && page.body(it.exercise).is_ok_and(|body| is_same(&body, &it.solution.body))
        };
        let given = page.exercises.iter().filter(is_given);
        page.given = given.map(|it| it.exercise.number.clone()).collect();
        Ok(page)
    }

    /// Reads a page on which each exercise consists of the whole file `src/lib.rs`. `reference` is
    /// the path of the reference's version of that file.
    pub(super) fn of_a_whole_file(
        notebook: &Notebook,
        step: &Step,
        reference: &Path,
        is_untouched: bool,
    ) -> anyhow::Result<Page> {
        let src = notebook.page(step.package).join("src");
        let files: Vec<SourceFile> = read_sources(&src)?
            .into_iter()
            .map(|(name, text)| SourceFile { path: src.join(name), text })
            .collect();
        let lib = files.iter().position(|file| file.path == src.join("lib.rs"));
        let lib = lib.with_context(|| format!("{} has no lib.rs", src.display()))?;
        let whole = read(reference)?;
        let exercise = |exercise| PageExercise {
            exercise,
            file: lib,
            line: Some(1),
            solution: Solution {
                file: reference.to_owned(),
                line: 1,
                function: whole.clone(),
                body: whole.clone(),
                calls: String::new(),
            },
        };
        let exercises = step.exercises.iter().map(exercise).collect();
        let (notebook, given) = (notebook.clone(), Vec::new());
        Ok(Page { step: *step, is_untouched, notebook, files, exercises, given })
    }

    /// Finds an exercise in the reference and on the page. If the page lacks the exercise, saves a
    /// starter of the file that should contain it.
    fn locate(
        &self,
        exercise: &'static Exercise,
        reference: &Parts,
        opened: &mut Opened,
    ) -> anyhow::Result<PageExercise> {
        let (name, text, function) =
            find_solution(exercise, &reference.page).with_context(|| {
                let src = self.notebook.workbook.step(self.step.package).join("src");
                format!("{} has no function between the anchors `{}`", src.display(), exercise.name)
            })?;
        let path = self.dir().join("src").join(name);
        let should_be = self.files.iter().position(|file| file.path == path);
        let should_be = should_be.with_context(|| format!("{} is gone", path.display()))?;
        // While the reader is editing, one anchor of a pair can be missing. In that case, only the
        // line is unknown.
        let found = self.files.iter().enumerate().find_map(|(index, file)| {
            let function = Function::find(&file.text, &exercise.name).ok()??;
            Some((index, function.line()))
        });
        if found.is_none() && lacks(&self.files[should_be].text, exercise, &function) {
            let kept = self.notebook.state().join("starter").join(self.step.package).join(name);
            write(&kept, &starter(text, self.step.exercises)?)?;
            opened.lacking.push((&exercise.name, kept));
        }
        // The line's number refers to the step's own file, from which no code is cut out.
        let solution = self.notebook.workbook.step(self.step.package).join("src").join(name);
        let whole = read(&solution)?;
        let line = Function::find(&whole, &exercise.name)?.map_or(0, |it| it.line());
        Ok(PageExercise {
            exercise,
            file: found.map_or(should_be, |(index, _)| index),
            line: found.map(|(_, line)| line),
            solution: Solution {
                file: solution,
                line,
                function: function.whole().to_owned(),
                body: function.body().to_owned(),
                calls: reference.called_in(name, function.body()).join("\n"),
            },
        })
    }

    /// Returns the page's directory.
    pub fn dir(&self) -> PathBuf {
        self.notebook.page(self.step.package)
    }

    /// Finds an exercise on this page.
    pub fn exercise(&self, exercise: &Exercise) -> anyhow::Result<&PageExercise> {
        let found = self.exercises.iter().find(|it| it.exercise.name == exercise.name);
        found.with_context(|| format!("the page has no exercise {}", exercise.name))
    }

    /// Returns the file that contains an exercise or should contain it.
    pub fn file_of(&self, exercise: &PageExercise) -> &SourceFile {
        &self.files[exercise.file]
    }

    /// Returns true if an exercise is given and the reader hasn't changed our body.
    pub fn is_given(&self, exercise: &Exercise) -> bool {
        self.given.contains(&exercise.number)
    }

    /// Finds the page's function for an exercise. Fails if the page lacks the function's anchors,
    /// or if they don't enclose exactly one function with a body.
    pub fn function(&self, exercise: &Exercise) -> anyhow::Result<Function<'_>> {
        let (file, name) = (self.file_of(self.exercise(exercise)?), &exercise.name);
        Function::find(&file.text, name)?.with_context(|| {
            format!("the lines `// ANCHOR: {name}` and `// ANCHOR_END: {name}` are missing")
        })
    }

    /// Returns the current body of an exercise.
    pub fn body(&self, exercise: &Exercise) -> anyhow::Result<String> {
        Ok(self.function(exercise)?.body().to_owned())
    }

    /// Returns true if any exercise's body mentions `catch_unwind`.
    pub(crate) fn catches_panics(&self) -> bool {
        let function = |it: &PageExercise| self.function(it.exercise);
        let catches = |function: Function<'_>| function.body().contains("catch_unwind");
        self.exercises.iter().any(|it| function(it).is_ok_and(catches))
    }

    /// Writes the body of an exercise. Returns the file's index and its earlier content.
    pub fn set_body(&mut self, exercise: &Exercise, body: &str) -> anyhow::Result<(usize, String)> {
        let index = self.exercise(exercise)?.file;
        let text = self.function(exercise)?.with_body(body);
        Ok((index, self.set_text(index, text)?))
    }

    /// Replaces an exercise's body with the starter.
    pub fn start_over(&mut self, exercise: &Exercise) -> anyhow::Result<()> {
        let text = self.function(exercise)?.starter(exercise);
        self.set_text(self.exercise(exercise)?.file, text).map(drop)
    }

    /// Replaces one of the page's files atomically and returns the file's earlier content.
    pub fn set_text(&mut self, index: usize, text: String) -> anyhow::Result<String> {
        let file = &mut self.files[index];
        let new = file.path.with_file_name(".new");
        write(&new, &text)?;
        fs::rename(&new, &file.path).with_context(|| format!("write {}", file.path.display()))?;
        Ok(std::mem::replace(&mut file.text, text))
    }

    /// Returns true if the body of an exercise is still the starter's body.
    pub fn is_not_written(&self, exercise: &Exercise) -> bool {
        let own = format!("exercise {}: ", exercise.number);
        self.function(exercise).is_ok_and(|it| it.is_not_written() && it.body().contains(&own))
    }

    /// Returns a hash of the page's sources.
    pub(crate) fn fingerprint(&self) -> String {
        fingerprint(self.files.iter().map(|file| file.text.as_str()))
    }

    /// Returns the command that a reader types to run the step's program with these words.
    pub fn command(&self, words: &str) -> String {
        super::run(self.step.package, words)
    }
}

/// Returns a hash of a page's sources, without opening the page.
pub(crate) fn fingerprint_of(page: &Path) -> anyhow::Result<String> {
    let sources = read_sources(&page.join("src"))?;
    Ok(fingerprint(sources.iter().map(|(_, text)| text.as_str())))
}

fn fingerprint<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut hasher = DefaultHasher::new();
    texts.for_each(|text| text.hash(&mut hasher));
    format!("{:016x}", hasher.finish())
}

fn find_solution<'a>(
    exercise: &Exercise,
    reference: &'a [(PathBuf, String)],
) -> Option<(&'a PathBuf, &'a str, Function<'a>)> {
    reference.iter().find_map(|(name, text)| {
        let function = Function::find(text, &exercise.name).ok()??;
        Some((name, text.as_str(), function))
    })
}

/// Returns true if a file has neither the anchors nor the function of an exercise.
fn lacks(text: &str, exercise: &Exercise, solution: &Function<'_>) -> bool {
    let anchor = format!("// ANCHOR: {}", exercise.name);
    let signature = format!("fn {}", solution.name());
    !text.contains(&anchor) && !text.contains(&signature)
}
