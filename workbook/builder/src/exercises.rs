//! A step's exercises: the declarations in `exercises.toml`, and each exercise's function.
//!
//! The reader writes the function's body, so the book shows the body only if the reader asks for
//! it. This module cuts the body out of the function. The *starter* is the rest of the function,
//! with a `todo!` in place of the body.

use std::ops::Deref;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use exercises::Exercise;
use judging::notebook::source::{Found, Function, functions};
use judging::step::FROM_SCRATCH;
use judging::workbook::Workbook;

use crate::around::{Shown, Surroundings};
use crate::steps::{StepSource, outdented, packages};

/// An exercise and the reference's function for it.
#[derive(Clone)]
pub(crate) struct ExerciseSource {
    pub(crate) package: String,
    /// The exercise as `exercises.toml` declares it.
    pub(crate) declared: Exercise,
    /// The path of the function's file, relative to `src/`.
    pub(crate) file: String,
    /// The function with its docs and signature and with a `todo!` as its body.
    pub(crate) starter: String,
    /// The code in the exercise's brief: the surrounding lines of the layer, or only the function
    /// if the exercise lists no anchors.
    pub(crate) brief: Vec<Shown>,
    /// The lines of the reference's body. The body in `declared` is a hint.
    pub(crate) body: String,
    /// The functions that the body calls and that the reader's page hides.
    pub(crate) calls: Vec<String>,
}

impl Deref for ExerciseSource {
    type Target = Exercise;

    fn deref(&self) -> &Exercise {
        &self.declared
    }
}

impl ExerciseSource {
    /// Returns the exercise with this number, such as `4.5`.
    pub(crate) fn numbered(root: &Path, number: &str) -> Result<Self> {
        let found = Self::all(root)?.into_iter().find(|it| it.number == number);
        found.with_context(|| format!("no step has an exercise {number}"))
    }

    /// Returns all steps' exercises.
    pub(crate) fn all(root: &Path) -> Result<Vec<Self>> {
        let mut all = Vec::new();
        for package in packages(root)? {
            all.extend(StepSource::open(root, &package)?.exercises()?);
        }
        Ok(all)
    }

    /// Returns the HTML id of the exercise's place in the chapter, such as `exercise-4-5`.
    pub(crate) fn id(&self) -> String {
        format!("exercise-{}", self.number.replace('.', "-"))
    }

    /// Returns the body, followed by the hidden functions that it calls.
    pub(crate) fn solution(&self) -> String {
        [std::slice::from_ref(&self.body), &self.calls].concat().join("\n\n")
    }

    /// Returns the `todo!` that replaces the body.
    pub(crate) fn todo(&self) -> String {
        todo(&self.number)
    }
}

fn todo(number: &str) -> String {
    format!("todo!(\"exercise {number}\")")
}

/// Returns the stages of the loop from scratch. A stage is an exercise for which we have no
/// function.
pub(crate) fn stages(root: &Path) -> Result<Vec<Exercise>> {
    exercises::read(&Workbook::at(root.to_owned())?.step(FROM_SCRATCH))
}

/// Reads a step's exercises, in the order of their declarations.
pub(crate) fn declared(step: &StepSource) -> Result<Vec<ExerciseSource>> {
    let files = step.files()?;
    let hidden = exercises::hidden(step.dir())?;
    let all = exercises::read(step.dir())?;
    let surroundings = Surroundings::of(&files, &hidden, &all)?;
    let exercises = all.into_iter().map(|declared| {
        let Exercise { number, name, around, .. } = &declared;
        let (file, text) = file_of(&files, name)?;
        let body = outdented(&lines(function(text, name)?.body()));
        let here = hidden.iter().filter(|it| it.file == format!("src/{file}"));
        let names = here.flat_map(|it| &it.functions).filter(|it| body.contains(&format!("{it}(")));
        let names: Vec<&str> = names.map(String::as_str).collect();
        let is_called = |it: &Found<'_>| it.header.is_none() && names.contains(&it.name());
        let calls = functions(text).into_iter().filter(is_called);
        let calls = calls.map(|it| it.whole().trim_end().to_owned()).collect();
        let starter = with_starter(text, name, number)?;
        let starter = outdented(&lines(function(&starter, name)?.whole()));
        let brief = if around.is_empty() {
            vec![Shown { file: file.clone(), code: starter.clone() }]
        } else {
            let shown = surroundings.shown(file, around);
            shown.with_context(|| format!("what's around exercise {number}"))?
        };
        let (package, file) = (step.package().to_owned(), file.clone());
        Ok(ExerciseSource { package, declared, file, starter, brief, body, calls })
    });
    exercises.collect()
}

/// Returns a file's text with a `todo!` as the body of the exercise with this name and number.
pub(crate) fn with_starter(text: &str, name: &str, number: &str) -> Result<String> {
    Ok(function(text, name)?.with_body(&todo(number)))
}

/// Returns a file's text with a `todo!` as the body of each exercise in it.
pub(crate) fn with_starters(text: &str, exercises: &[Exercise]) -> Result<String> {
    let mut text = text.to_owned();
    for Exercise { name, number, .. } in exercises {
        if let Some(function) = Function::find(&text, name)? {
            text = function.with_body(&todo(number));
        }
    }
    Ok(text)
}

/// Returns the function between the anchors of an exercise.
fn function<'a>(text: &'a str, name: &str) -> Result<Function<'a>> {
    Function::find(text, name)?.with_context(|| format!("there are no anchors of `{name}`"))
}

/// Returns the file that contains an exercise's anchors. Fails unless there's exactly one such
/// file.
fn file_of<'a>(files: &'a [(String, String)], name: &str) -> Result<&'a (String, String)> {
    let mut found = files.iter().filter(|(_, text)| function(text, name).is_ok());
    let file = found.next().with_context(|| format!("no file has the anchors of `{name}`"))?;
    ensure!(found.next().is_none(), "two files have the anchors of `{name}`");
    Ok(file)
}

fn lines(text: &str) -> Vec<&str> {
    text.trim_start_matches('\n').trim_end().lines().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::without_marks;

    const WHOLE_IMPL: &str = "impl Heap {
    // ANCHOR: first
    /// The first one. {
    #[must_use]
    pub fn first(&self) -> u8 {
        let all = { self.all() };

        all[0]
    }
    // ANCHOR_END: first

    // ANCHOR: second
    fn second(&self) -> u8 { 2 }
    // ANCHOR_END: second
}
";

    #[test]
    fn each_body_in_a_larger_region_is_replaced_and_the_rest_stays() {
        let text = with_starter(WHOLE_IMPL, "first", "4.1").expect("a function");
        let text = with_starter(&text, "second", "4.2").expect("a function");
        let expected = "impl Heap {
    /// The first one. {
    #[must_use]
    pub fn first(&self) -> u8 {
        todo!(\"exercise 4.1\")
    }

    fn second(&self) -> u8 {
        todo!(\"exercise 4.2\")
    }
}
";
        assert_eq!(without_marks(&text), expected);
    }

    #[test]
    fn a_body_is_all_that_is_inside_the_braces() {
        let inside = function(WHOLE_IMPL, "first").expect("a function").body();
        assert_eq!(outdented(&lines(inside)), "let all = { self.all() };\n\nall[0]");
    }
}
