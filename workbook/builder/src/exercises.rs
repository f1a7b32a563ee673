//! The exercises of a step: what `exercises.toml` declares, and the function that each is about.
//!
//! A reader writes the function's body, so the book never shows it by itself. Here it's cut out of
//! the source: what's left is the *starter*, with a `todo!` in place of the body.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use exercises::Exercise;
use syn::ImplItemFn;
use syn::spanned::Spanned;

use crate::steps::{StepSource, outdented, packages};

/// An exercise, and its function in the reference.
#[derive(Clone)]
pub(crate) struct ExerciseSource {
    pub(crate) package: String,
    pub(crate) number: String,
    pub(crate) name: String,
    pub(crate) task: String,
    pub(crate) minutes: u8,
    /// The scenes that judge it.
    pub(crate) scenes: Vec<String>,
    /// The random programs that judge it.
    pub(crate) trials: Vec<String>,
    /// The reason why no later step runs it; `None` if one does.
    pub(crate) only_here: Option<String>,
    /// The file that its function is in, below `src/`.
    pub(crate) file: String,
    /// The function with its docs and signature, and a `todo!` as its body.
    pub(crate) starter: String,
    /// The lines of its body.
    pub(crate) body: String,
    /// The functions that the body calls and that a page hides.
    pub(crate) calls: Vec<String>,
}

impl ExerciseSource {
    /// Returns the exercise with a number such as `4.5`.
    pub(crate) fn numbered(root: &Path, number: &str) -> Result<Self> {
        let found = Self::all(root)?.into_iter().find(|it| it.number == number);
        found.with_context(|| format!("no step has an exercise {number}"))
    }

    /// Returns the exercises of all steps.
    pub(crate) fn all(root: &Path) -> Result<Vec<Self>> {
        let mut all = Vec::new();
        for package in packages(root)? {
            all.extend(StepSource::open(root, &package)?.exercises()?);
        }
        Ok(all)
    }

    /// Returns the id of its place in the chapter: `exercise-4-5`.
    pub(crate) fn id(&self) -> String {
        format!("exercise-{}", self.number.replace('.', "-"))
    }

    /// Returns its body, and the hidden functions without which it would be a riddle.
    pub(crate) fn solution(&self) -> String {
        [std::slice::from_ref(&self.body), &self.calls].concat().join("\n\n")
    }

    /// Returns what stands in place of its body.
    pub(crate) fn todo(&self) -> String {
        format!("todo!(\"exercise {}\")", self.number)
    }
}

/// Reads the exercises of a step, in the order in which they're declared.
pub(crate) fn declared(step: &StepSource) -> Result<Vec<ExerciseSource>> {
    let files = step.files()?;
    let hidden = exercises::hidden(step.dir())?;
    let exercises = exercises::read(step.dir())?.into_iter().map(|declared| {
        let Exercise { number, name, task, minutes, scenes, trials, only_here, .. } = declared;
        let (file, text) = file_of(&files, &name)?;
        let body = outdented(&lines(&text[body(text, &name)?]));
        let here = hidden.iter().filter(|it| it.file == format!("src/{file}"));
        let names = here.flat_map(|it| &it.functions).filter(|it| body.contains(&format!("{it}(")));
        let mut exercise = ExerciseSource {
            calls: functions(text, names)?,
            package: step.package().to_owned(),
            number,
            task,
            minutes,
            scenes,
            trials,
            only_here,
            file: file.clone(),
            starter: String::new(),
            body,
            name,
        };
        let starter = with_starter(text, &exercise)?;
        exercise.starter = outdented(&lines(&starter[region(&starter, &exercise.name)?]));
        Ok(exercise)
    });
    exercises.collect()
}

/// Returns a file's text with a `todo!` as the body of an exercise.
pub(crate) fn with_starter(text: &str, exercise: &ExerciseSource) -> Result<String> {
    let body = body(text, &exercise.name)?;
    let (before, after) = (&text[..body.start], &text[body.end..]);
    let closing_line = text[..body.end].rsplit('\n').next().unwrap_or_default();
    let indent = " ".repeat(closing_line.len() - closing_line.trim_start().len());
    Ok(format!("{before}\n{indent}    {}\n{indent}{after}", exercise.todo()))
}

/// Returns the one file with the anchors of an exercise.
fn file_of<'a>(files: &'a [(String, String)], name: &str) -> Result<&'a (String, String)> {
    let mut found = files.iter().filter(|(_, text)| region(text, name).is_ok());
    let file = found.next().with_context(|| format!("no file has the anchors of `{name}`"))?;
    ensure!(found.next().is_none(), "two files have the anchors of `{name}`");
    Ok(file)
}

/// Returns those of a file's functions that have these names. Methods aren't among them.
fn functions<'a>(text: &str, names: impl Iterator<Item = &'a String>) -> Result<Vec<String>> {
    let names: Vec<&String> = names.collect();
    let items = if names.is_empty() { Vec::new() } else { syn::parse_file(text)?.items };
    let mut found = Vec::new();
    for item in items {
        let syn::Item::Fn(function) = item else { continue };
        if names.iter().any(|name| function.sig.ident == name.as_str()) {
            found.push(text[function.span().byte_range()].to_owned());
        }
    }
    Ok(found)
}

/// Returns where the lines between an exercise's anchors are.
fn region(text: &str, name: &str) -> Result<Range<usize>> {
    let begin = position(text, &format!("// ANCHOR: {name}"))?;
    let end = position(text, &format!("// ANCHOR_END: {name}"))?;
    ensure!(begin.end <= end.start, "the anchors of `{name}` are in the wrong order");
    Ok(begin.end..end.start)
}

/// Returns where a line is, whatever its indentation.
fn position(text: &str, line: &str) -> Result<Range<usize>> {
    let mut start = 0;
    for it in text.split_inclusive('\n') {
        if it.trim() == line {
            return Ok(start..start + it.len());
        }
        start += it.len();
    }
    bail!("there's no line `{line}`")
}

/// Returns where the body of an exercise is: all that's inside the braces.
fn body(text: &str, name: &str) -> Result<Range<usize>> {
    let region = region(text, name)?;
    // A function outside of an impl is written in the same way.
    let function: ImplItemFn = syn::parse_str(&text[region.clone()])
        .with_context(|| format!("`{name}` isn't one function"))?;
    let braces = function.block.brace_token.span;
    let (open, close) = (braces.open().span().byte_range(), braces.close().span().byte_range());
    Ok(region.start + open.end..region.start + close.start)
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

    fn exercise(name: &str, number: &str) -> ExerciseSource {
        ExerciseSource {
            package: "step04_timers".to_owned(),
            number: number.to_owned(),
            name: name.to_owned(),
            task: String::new(),
            minutes: 1,
            scenes: Vec::new(),
            trials: Vec::new(),
            only_here: None,
            file: String::new(),
            starter: String::new(),
            body: String::new(),
            calls: Vec::new(),
        }
    }

    #[test]
    fn each_body_in_a_larger_region_is_replaced_and_the_rest_stays() {
        let text = with_starter(WHOLE_IMPL, &exercise("first", "4.1")).expect("a function");
        let text = with_starter(&text, &exercise("second", "4.2")).expect("a function");
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
        let inside = &WHOLE_IMPL[body(WHOLE_IMPL, "first").expect("a function")];
        assert_eq!(outdented(&lines(inside)), "let all = { self.all() };\n\nall[0]");
    }
}
