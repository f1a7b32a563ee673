//! Checks that the book shows no exercise's body before the reader asks for it.
//!
//! Only lines that are long enough can reveal something. A *passage* runs from one such line of a
//! body through the next. If a body has fewer than two such lines, its only passage is the whole
//! body. A page's text mustn't contain a passage outside the folds from `folds.rs`. Neither the
//! search index nor the page for printing the whole book may contain any passage at all, since the
//! search shows lines from the index and a fold hides nothing on paper.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aho_corasick::AhoCorasick;
use anyhow::{Context, Result, bail, ensure};
use scraper::{ElementRef, Html};

use crate::exercises::ExerciseSource;
use crate::folds::PRINTED;
use crate::links::html_files;

/// The minimum number of letters in a line that's long enough to reveal something. A shorter line,
/// such as `} else {`, doesn't reveal anything.
const LETTERS_THAT_SAY_SOMETHING: usize = 10;

/// Fails if the built book gives away any exercises. The error lists these exercises and where the
/// book shows them.
pub(crate) fn check(pages: &Path, root: &Path) -> Result<()> {
    let exercises = ExerciseSource::all(root)?;
    let passages = Passages::of(&exercises)?;
    let mut texts = Vec::new();
    for path in html_files(pages)? {
        let page = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        texts.push((path.clone(), visible_text(&page, !path.ends_with(PRINTED))));
    }
    let index = search_index(pages)?;
    ensure!(!index.is_empty(), "{} has no search index", pages.display());
    texts.extend(index);
    let mut given_away: Vec<String> = Vec::new();
    for (path, text) in &texts {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        given_away.extend(
            passages.shown_in(text).iter().map(|exercise| {
                format!("{file}: exercise {} (`{}`)", exercise.number, exercise.name)
            }),
        );
    }
    if !given_away.is_empty() {
        given_away.sort();
        bail!("the book gives away what readers should write:\n{}", given_away.join("\n"));
    }
    Ok(())
}

/// The passages of many exercises, prepared for finding them all in a single search.
pub(crate) struct Passages<'a> {
    exercises: &'a [ExerciseSource],
    any: AhoCorasick,
    /// The index of each passage's exercise.
    of: Vec<usize>,
}

impl<'a> Passages<'a> {
    pub(crate) fn of(exercises: &'a [ExerciseSource]) -> Result<Self> {
        let all = exercises.iter().map(|it| passages(&it.body)).enumerate();
        let all = all.flat_map(|(exercise, found)| found.into_iter().map(move |it| (exercise, it)));
        let (of, passages): (Vec<usize>, Vec<String>) = all.unzip();
        Ok(Passages { exercises, any: AhoCorasick::new(passages)?, of })
    }

    /// Returns the exercises whose passages occur in a string.
    pub(crate) fn shown_in(&self, text: &str) -> Vec<&'a ExerciseSource> {
        let text = letters(text);
        let found =
            self.any.find_overlapping_iter(&text).map(|it| self.of[it.pattern().as_usize()]);
        found.collect::<BTreeSet<usize>>().into_iter().map(|index| &self.exercises[index]).collect()
    }
}

/// Returns the letters of each passage of a body. A passage begins with a line that's long enough
/// and ends with the next such line, so it includes any shorter lines between the two.
fn passages(body: &str) -> Vec<String> {
    let lines: Vec<String> = body.lines().map(letters).collect();
    let says_something = |line: &String| line.len() >= LETTERS_THAT_SAY_SOMETHING;
    let places: Vec<usize> =
        (0..lines.len()).filter(|place| says_something(&lines[*place])).collect();
    if places.len() < 2 {
        return vec![letters(body)];
    }
    places.windows(2).map(|two| lines[two[0]..=two[1]].concat()).collect()
}

/// Returns a string without its spaces and punctuation, since those differ among a page, a diff and
/// the search index.
fn letters(text: &str) -> String {
    text.chars().filter(|char| char.is_alphanumeric() || *char == '_').collect()
}

/// Returns a page's text, with or without the content of the folds from `folds.rs`.
fn visible_text(page: &str, leaves_out_folds: bool) -> String {
    let mut text = String::new();
    collect(Html::parse_document(page).root_element(), leaves_out_folds, &mut text);
    text
}

fn collect(element: ElementRef<'_>, leaves_out_folds: bool, text: &mut String) {
    let is_fold = element.value().classes().any(|class| class == "yours-first");
    if leaves_out_folds && is_fold {
        return;
    }
    for child in element.children() {
        if let Some(inner) = ElementRef::wrap(child) {
            collect(inner, leaves_out_folds, text);
        } else if let Some(inner) = child.value().as_text() {
            *text += inner;
        }
    }
}

/// Returns the files of the search index and their texts.
fn search_index(pages: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(pages).with_context(|| pages.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("searchindex") {
            // The index is JSON inside a JavaScript string, so newlines are escaped twice.
            let text = fs::read_to_string(&path)?.replace("\\\\n", "\n");
            found.push((path, text));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "let first = self.heap.peek()?;\nif first.when > now {\n    return None;\n}\n\
                        self.payloads.take(first.sequence)";

    #[test]
    fn two_lines_of_a_body_are_a_passage() {
        let passages = passages(BODY);
        assert_eq!(passages[0], "letfirstselfheappeekiffirstwhennow");
        assert_eq!(passages.len(), 3);
    }
}
