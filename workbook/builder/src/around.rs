//! The part of a layer's code that a brief shows: about twenty to forty lines around the hole that
//! the reader fills.
//!
//! An exercise lists anchors under `around` in `exercises.toml`. A brief shows the lines between
//! these anchors, in the order of the source file and inside their `impl`, with `// …` for omitted
//! code. In a brief, the bodies of all exercises are holes. A brief can't show anything that the
//! reader's page hides.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use exercises::{Exercise, Hidden};
use judging::notebook::source::functions;

use crate::exercises::with_starters;
use crate::steps::{anchored, is_mark, outdented};

/// A part of a file that a brief shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    /// The file's path, relative to `src/`.
    pub(crate) file: String,
    pub(crate) code: String,
}

/// The files of a layer, with a hole in place of each exercise's body.
pub(crate) struct Surroundings<'a> {
    files: Vec<(&'a str, String)>,
    hidden: &'a [Hidden],
}

impl<'a> Surroundings<'a> {
    pub(crate) fn of(
        files: &'a [(String, String)],
        hidden: &'a [Hidden],
        exercises: &[Exercise],
    ) -> Result<Self> {
        let with_holes = |(file, text): &'a (String, String)| {
            Ok((file.as_str(), with_starters(text, exercises)?))
        };
        let files: Result<Vec<_>> = files.iter().map(with_holes).collect();
        Ok(Surroundings { files: files?, hidden })
    }

    /// Returns the code around an exercise, file by file, in the order in which `around` first
    /// mentions the files.
    pub(crate) fn shown(&self, home: &str, around: &[String]) -> Result<Vec<Shown>> {
        let places = around.iter().map(|place| place.split_once('#').unwrap_or((home, place)));
        let mut by_file: Vec<(&str, Vec<&str>)> = Vec::new();
        for (file, anchor) in places {
            match by_file.iter_mut().find(|(known, _)| *known == file) {
                Some((_, anchors)) => anchors.push(anchor),
                None => by_file.push((file, vec![anchor])),
            }
        }
        let shown = by_file.into_iter().map(|(file, anchors)| {
            let (_, text) = self
                .files
                .iter()
                .find(|(name, _)| *name == file)
                .with_context(|| format!("the layer has no file `{file}`"))?;
            let code = excerpt(text, &anchors).with_context(|| file.to_owned())?;
            self.check(file, &code)?;
            Ok(Shown { file: file.to_owned(), code })
        });
        shown.collect()
    }

    /// Fails if the code includes anything that the reader's page hides.
    fn check(&self, file: &str, code: &str) -> Result<()> {
        for hidden in self.hidden.iter().filter(|it| it.file == format!("src/{file}")) {
            ensure!(!hidden.functions.is_empty(), "the page hides all of {file}");
            for function in functions(code) {
                let name = function.name();
                ensure!(!hidden.functions.iter().any(|it| it == name), "the page hides `{name}`");
            }
        }
        Ok(())
    }
}

/// Returns the lines between these anchors in a file, together with the first and last lines of
/// their enclosing blocks.
fn excerpt(text: &str, anchors: &[&str]) -> Result<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut kept = BTreeSet::new();
    for anchor in anchors {
        let inside = anchored(&lines, anchor);
        let inside = inside.with_context(|| format!("there are no anchors of `{anchor}`"))?;
        if lines[inside.start].starts_with(' ') {
            kept.extend(block_around(&lines, inside.start)?);
        }
        kept.extend(inside);
    }
    let mut code: Vec<String> = Vec::new();
    let mut left_out: Vec<&str> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        if !kept.contains(&place) {
            left_out.push(line);
            continue;
        }
        let is_blank = |line: &&str| line.trim().is_empty() || is_mark(line);
        let gap = left_out.iter().find(|line| !is_blank(line));
        // We don't mark a gap before the first line.
        if let Some(first) = gap.filter(|_| !code.is_empty()) {
            let indent = &first[..first.len() - first.trim_start().len()];
            let indent = if *line == "}" { "    " } else { indent };
            let is_after_head = code.last().is_some_and(|line| line.ends_with('{'));
            code.extend((!is_after_head).then(String::new));
            code.push(format!("{indent}// …"));
            code.extend((*line != "}").then(String::new));
        } else if !left_out.is_empty() && !code.is_empty() && *line != "}" {
            code.push(String::new());
        }
        left_out.clear();
        if !is_mark(line) {
            code.push((*line).to_owned());
        }
    }
    let mut lines: Vec<&str> = code.iter().map(String::as_str).collect();
    // Leaving out lines can leave consecutive empty lines behind.
    lines.dedup_by(|one, before| one.is_empty() && before.is_empty());
    Ok(outdented(&lines).trim_matches('\n').to_owned())
}

/// For the `impl` or other block that contains a line, returns the indexes of the block's opening
/// lines and of the line with its closing brace. Since rustfmt has formatted the code, the first
/// and the last of these lines begin in the first column.
fn block_around(lines: &[&str], inside: usize) -> Result<Vec<usize>> {
    let is_head = |line: &str| {
        let line = line.trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        ["impl", "unsafe impl", "trait", "struct", "mod"].iter().any(|word| {
            let after = line.strip_prefix(word);
            after.is_some_and(|after| after.starts_with([' ', '<']))
        })
    };
    let head = lines[..inside].iter().rposition(|line| is_head(line));
    let head = head.context("the lines are in no `impl`")?;
    let brace = lines[head..].iter().position(|line| line.ends_with('{'));
    let brace = head + brace.context("an `impl` without its brace")?;
    let end = lines[inside..].iter().position(|line| *line == "}");
    let end = inside + end.context("an `impl` without its end")?;
    Ok((head..=brace).chain([end]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "//! A heap.

use std::mem;

// ANCHOR: heap
struct Heap;
// ANCHOR_END: heap

impl<T> Heap
where
    T: Copy,
{
    fn secret(&self) {}

    // ANCHOR: both
    // ANCHOR: first
    /// The first.
    fn first(&self) -> u8 {
        1
    }
    // ANCHOR_END: first

    // ANCHOR: second
    fn second(&self) -> u8 {
        2
    }
    // ANCHOR_END: second
    // ANCHOR_END: both

    fn last(&self) {}
}
";

    fn exercise(name: &str, number: &str) -> Exercise {
        let text = format!(
            "[[exercise]]\nnumber = '{number}'\nname = '{name}'\ntask = 'x'\nminutes = 1\n\
             scenes = []\nquestion = 'x'\nmethod = 'x'\n"
        );
        exercises::parse(&text).expect("an exercise").remove(0)
    }

    fn shown(around: &[&str], hidden: &[Hidden]) -> Result<String> {
        let files = [("heap.rs".to_owned(), FILE.to_owned())];
        let exercises = [exercise("first", "4.1"), exercise("second", "4.2")];
        let around: Vec<String> = around.iter().map(|&it| it.to_owned()).collect();
        let surroundings = Surroundings::of(&files, hidden, &exercises)?;
        let mut shown = surroundings.shown("heap.rs", &around)?;
        assert_eq!((shown.len(), &*shown[0].file), (1, "heap.rs"));
        Ok(shown.remove(0).code)
    }

    #[test]
    fn the_lines_stand_in_their_impl_with_all_bodies_as_holes_and_gaps_are_marked() {
        let expected = "struct Heap;

impl<T> Heap
where
    T: Copy,
{
    // …

    /// The first.
    fn first(&self) -> u8 {
        todo!(\"exercise 4.1\")
    }

    fn second(&self) -> u8 {
        todo!(\"exercise 4.2\")
    }

    // …
}";
        assert_eq!(shown(&["heap", "both"], &[]).expect("code"), expected);
        // The lines are in the file's order.
        assert_eq!(shown(&["both", "heap"], &[]).expect("code"), expected);
    }

    #[test]
    fn a_field_stands_in_its_struct() {
        let file = "impl Heap {}\n\npub(crate) struct Pile {\n    top: u8,\n    // ANCHOR: size\n    \
                    size: u8,\n    // ANCHOR_END: size\n}\n";
        let files = [("pile.rs".to_owned(), file.to_owned())];
        let shown = Surroundings::of(&files, &[], &[]).expect("the file");
        let shown = shown.shown("pile.rs", &["size".to_owned()]).expect("code");
        assert_eq!(shown[0].code, "pub(crate) struct Pile {\n    // …\n\n    size: u8,\n}");
    }

    #[test]
    fn an_anchor_that_is_missing_and_what_the_page_hides_are_errors() {
        let error = |around: &[&str], hidden: &[Hidden]| {
            format!("{:#}", shown(around, hidden).expect_err("a mistake"))
        };
        assert_eq!(error(&["third"], &[]), "heap.rs: there are no anchors of `third`");
        assert_eq!(error(&["pile.rs#first"], &[]), "the layer has no file `pile.rs`");
        let hidden = |functions: &[&str]| Hidden {
            file: "src/heap.rs".to_owned(),
            functions: functions.iter().map(|&it| it.to_owned()).collect(),
            because: "it's an answer".to_owned(),
        };
        assert_eq!(error(&["both"], &[hidden(&["second"])]), "the page hides `second`");
        assert_eq!(error(&["both"], &[hidden(&[])]), "the page hides all of heap.rs");
        assert!(shown(&["first"], &[hidden(&["second"])]).is_ok());
    }
}
