//! Finds the function between a pair of ANCHOR comments in source text, reads its body, and replaces
//! it.
//!
//! We rely on rustfmt's layout, where indentation shows the end of a function. Everything outside the
//! body stays as it is.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use scene::Exercise;

/// A function between a pair of anchors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Function<'a> {
    /// The whole source text.
    text: &'a str,
    /// The range of the lines between the anchors.
    region: Range<usize>,
    /// The start of the line with `fn`.
    fn_line: usize,
    /// The range of the body's lines, without the braces.
    body: Range<usize>,
}

impl<'a> Function<'a> {
    /// Finds the function between the anchors with a name. Returns `None` if the text has no such
    /// anchors.
    pub(crate) fn find(text: &'a str, anchor: &str) -> anyhow::Result<Option<Function<'a>>> {
        let Some(region) = region(text, anchor)? else {
            return Ok(None);
        };
        let in_region = || lines(text).filter(|line| region.contains(&line.start));
        let mut functions = in_region().filter(|line| is_fn(&text[line.clone()]));
        let fn_line = functions
            .next()
            .with_context(|| format!("no function between the anchors `{anchor}`"))?;
        let indent = indentation(&text[fn_line.clone()]);

        let mut rest = in_region().skip_while(|line| line.start < fn_line.start);
        let opens =
            rest.find(|line| text[line.clone()].trim_end().ends_with('{')).with_context(|| {
                format!("the body of `{anchor}` doesn't begin at the end of a line")
            })?;
        let closing = format!("{indent}}}");
        let closes =
            rest.find(|line| text[line.clone()].trim_end() == closing).with_context(|| {
                format!("the body of `{anchor}` doesn't end as rustfmt would end it")
            })?;

        let another = functions.find(|line| line.start > closes.start);
        ensure!(another.is_none(), "two functions between the anchors `{anchor}`");
        Ok(Some(Function { text, region, fn_line: fn_line.start, body: opens.end..closes.start }))
    }

    /// Returns the body: whole lines, without the braces.
    pub(crate) fn body(&self) -> &'a str {
        &self.text[self.body.clone()]
    }

    /// Returns everything between the anchors: the function with its doc comment and attributes.
    pub(crate) fn whole(&self) -> &'a str {
        &self.text[self.region.clone()]
    }

    /// Returns the number of the line with `fn`.
    pub(crate) fn line(&self) -> usize {
        self.text[..self.fn_line].matches('\n').count() + 1
    }

    /// Returns the signature, from the line with `fn` to the one with the opening brace.
    pub(crate) fn signature(&self) -> &'a str {
        &self.text[self.fn_line..self.body.start]
    }

    /// Returns true if the body is still the starter's.
    pub(crate) fn is_not_written(&self) -> bool {
        let body = self.body().trim();
        body.starts_with("todo!(") && body.ends_with(')') && body.contains("\"exercise ")
    }

    /// Returns the function's name.
    pub(crate) fn name(&self) -> &'a str {
        let after = self.text[self.fn_line..].split_once("fn ").map_or("", |(_, after)| after);
        let end = after.find(|char: char| !char.is_alphanumeric() && char != '_');
        &after[..end.unwrap_or(after.len())]
    }

    /// Returns the whole source text with another body.
    pub(crate) fn with_body(&self, body: &str) -> String {
        let (before, after) = (&self.text[..self.body.start], &self.text[self.body.end..]);
        let newline = if body.ends_with('\n') { "" } else { "\n" };
        format!("{before}{body}{newline}{after}")
    }

    /// Returns the whole source text with a `todo!` as the body.
    pub(crate) fn starter(&self, exercise: &Exercise) -> String {
        let indent = indentation(&self.text[self.fn_line..]);
        let task = format!("exercise {}: {}", exercise.number, exercise.task);
        // `todo!` takes a format string.
        let task = task.replace('{', "{{").replace('}', "}}");
        self.with_body(&todo(&format!("{indent}    "), &task))
    }
}

/// Returns a file of the reference with a `todo!` as the body of each exercise.
pub(crate) fn starter(reference: &str, exercises: &[Exercise]) -> anyhow::Result<String> {
    let mut text = reference.to_owned();
    for exercise in exercises {
        if let Some(function) = Function::find(&text, exercise.name)? {
            text = function.starter(exercise);
        }
    }
    Ok(text)
}

/// Returns a `todo!`, formatted as rustfmt would do it.
fn todo(indent: &str, task: &str) -> String {
    const WIDTH: usize = 100;
    let one_line = format!("{indent}todo!({task:?})");
    if one_line.chars().count() <= WIDTH {
        one_line
    } else {
        format!("{indent}todo!(\n{indent}    {task:?}\n{indent})")
    }
}

/// Lists the source files of a layer, relative to its `src/`. The step's program isn't part of the
/// layer.
pub(crate) fn layer_files(src: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(src, Path::new(""), &mut files)?;
    files.retain(|file| !is_of_the_program(file));
    files.sort();
    Ok(files)
}

fn is_of_the_program(file: &Path) -> bool {
    let programs_own = ["main.rs", "exercises.rs", "scenes", "trials"];
    programs_own.iter().any(|name| file.starts_with(name))
}

fn collect(src: &Path, under: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let dir = src.join(under);
    for entry in fs::read_dir(&dir).with_context(|| format!("list {}", dir.display()))? {
        let entry = entry?;
        let name = under.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(src, &name, files)?;
        } else if name.extension().is_some_and(|extension| extension == "rs") {
            files.push(name);
        }
    }
    Ok(())
}

/// Finds the lines between the anchors. Fails if they aren't a pair, or occur twice.
fn region(text: &str, anchor: &str) -> anyhow::Result<Option<Range<usize>>> {
    let marks = |word: &str| {
        let mark = format!("// {word}: {anchor}");
        let mut found = lines(text).filter(move |line| text[line.clone()].trim() == mark);
        (found.next(), found.next().is_some())
    };
    let (first, first_again) = marks("ANCHOR");
    let (last, last_again) = marks("ANCHOR_END");
    ensure!(!first_again && !last_again, "the anchor `{anchor}` occurs twice");
    match (first, last) {
        (Some(first), Some(last)) if first.end <= last.start => Ok(Some(first.end..last.start)),
        (None, None) => Ok(None),
        _ => bail!("the anchors `{anchor}` aren't a pair"),
    }
}

/// Returns the range of each line, newline included.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.split_inclusive('\n').scan(0, |start, line| {
        let range = *start..*start + line.len();
        *start = range.end;
        Some(range)
    })
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(' ').len()]
}

/// Returns true if a function begins on this line: `fn`, after any qualifiers such as `pub` and
/// `unsafe`.
fn is_fn(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let qualifier = |word: &str| {
        word.starts_with("pub") || matches!(word, "const" | "async" | "unsafe" | "extern" | "\"C\"")
    };
    words.find(|word| !qualifier(word)) == Some("fn")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
impl Pipe {
    // ANCHOR: read
    /// Reads. This fn is documented.
    pub fn read(
        &self,
    ) -> usize {
        fn inner() {
            1
        }
        inner()
    }
    // ANCHOR_END: read

    // ANCHOR: listing
    // ANCHOR_END: listing
}
";

    const READ: Exercise = Exercise {
        number: "1.2",
        name: "read",
        task: "Read \"{}\".",
        minutes: 1,
        only_here: None,
        scenes: &[],
        trials: &[],
        nudges: &[],
        hints: &[],
    };

    fn read(text: &str) -> Function<'_> {
        Function::find(text, "read").unwrap().unwrap()
    }

    #[test]
    fn the_body_is_what_is_between_the_braces_of_the_function() {
        let function = read(TEXT);
        assert!(function.body().starts_with("        fn inner() {\n"));
        assert!(function.body().ends_with("        inner()\n"));
        assert_eq!((function.name(), function.line()), ("read", 4));
    }

    #[test]
    fn a_body_put_back_restores_every_byte() {
        let starter = read(TEXT).starter(&READ);
        assert!(starter.contains("        todo!(\"exercise 1.2: Read \\\"{{}}\\\".\")\n    }\n"));
        assert_eq!(read(&starter).with_body(read(TEXT).body()), TEXT);
    }

    #[test]
    fn a_missing_anchor_is_not_an_error_but_half_a_pair_is() {
        assert_eq!(Function::find(TEXT, "write").unwrap(), None);
        let half = TEXT.replace("    // ANCHOR_END: read\n", "");
        assert!(Function::find(&half, "read").is_err());
        assert!(Function::find(TEXT, "listing").is_err());
    }
}
