//! Folds for code that readers should first write themselves and for outcomes that they should
//! first predict.
//!
//! mdBook never sees the code in such a fold, because the chapter contains only a *mark* in its
//! place. So the code can't end up in the search index or on the page for printing the whole book.
//! After mdBook has built the pages, we replace each mark in a chapter's page with the code, in a
//! `<details>` that opens without scripts. The page for printing gets a note instead. A
//! prediction's transcript is treated in the same way, except that it's printed, too. A scene's
//! recording isn't printed.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::exercises::ExerciseSource;
use crate::hunt;
use crate::links::html_files;
use crate::markdown::escaped;
use crate::recordings::{self, RECORDING};
use crate::steps::{StepSource, outdented};

/// The page for printing the whole book.
pub(crate) const PRINTED: &str = "print.html";
const BEGIN: &str = "<details class=\"yours-first\">";
pub(crate) const MARK: &str = "<div data-fold=\"";
pub(crate) const MARK_END: &str = "\"></div>";

/// Returns a fold for the body of an exercise.
pub(crate) fn of_body(exercise: &ExerciseSource) -> String {
    fold(&[exercise], &format!("body {} {}", exercise.package, exercise.name))
}

/// Returns a fold for one of an exercise's wrong bodies. `index` counts only the bodies that are
/// worth a hunt.
pub(crate) fn of_bug(exercise: &ExerciseSource, index: usize) -> String {
    fold(&[exercise], &format!("bug {} {} {index}", exercise.package, exercise.name))
}

/// Returns a fold for a hunk that shows parts of these exercises. `index` is the hunk's index in
/// the step's changes to the server.
pub(crate) fn of_hunk(exercises: &[&ExerciseSource], step: &str, index: usize) -> String {
    fold(exercises, &format!("hunk {step} {index}"))
}

fn fold(exercises: &[&ExerciseSource], content: &str) -> String {
    let yours = exercises.iter().map(|exercise| {
        let (number, package) = (&exercise.number, &exercise.package);
        let command = format!("<code>cargo run -p {package}</code>");
        format!("exercise {number}<span class=\"in-terminal\">, {command}</span>")
    });
    let yours = yours.collect::<Vec<String>>().join(", and ");
    format!(
        "{BEGIN}\n<summary>Our solution, after yours: {yours}</summary>\n{MARK}{content}{MARK_END}\n</details>"
    )
}

/// Returns the mark for a scene's transcript inside a fold.
pub(crate) fn of_transcript(package: &str, scene: &str) -> String {
    format!("{MARK}scene {package} {scene}{MARK_END}")
}

/// A function that returns the lines of a hunk, given the hunk's index in a step's changes.
type LinesOfHunk = fn(root: &Path, step: &str, index: usize) -> Result<String>;

/// Replaces the marks in all pages of the built book.
pub(crate) fn fill(pages: &Path, root: &Path, lines_of_hunk: LinesOfHunk) -> Result<()> {
    for path in html_files(pages)? {
        let page = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let is_printed = path.ends_with(PRINTED);
        let filled = filled(&page, |content| match content {
            _ if is_printed && content.starts_with(RECORDING) => Ok(String::new()),
            _ if is_printed && !content.starts_with("scene ") => {
                Ok("<p>The printed book leaves this out.</p>".to_owned())
            }
            _ => code_block(root, content, lines_of_hunk),
        });
        let filled = filled.with_context(|| path.display().to_string())?;
        // Replace table headers without text, which are confusing in a screen reader.
        let filled = filled.replace("<th></th>", "<td></td>");
        fs::write(&path, filled).with_context(|| format!("write {}", path.display()))?;
    }
    Ok(())
}

/// Returns a page with its marks replaced. Fails if a reader's fold has no recognizable mark,
/// because the fold would then be empty in the built book.
fn filled(page: &str, content_of: impl Fn(&str) -> Result<String>) -> Result<String> {
    let folds = page.matches(BEGIN).count();
    let mut pieces = page.split(MARK);
    let mut filled = pieces.next().unwrap_or_default().to_owned();
    let mut marks = 0;
    for piece in pieces {
        let (content, rest) = piece.split_once(MARK_END).context("a mark without an end")?;
        filled += &content_of(content)?;
        filled += rest;
        let is_a_readers = !content.starts_with("scene ") && !content.starts_with(RECORDING);
        marks += usize::from(is_a_readers);
    }
    ensure!(folds == marks, "{folds} folds for readers to open later, but {marks} marks");
    Ok(filled)
}

/// Returns the content that a mark stands for: a block of code in mdBook's HTML format, or a
/// recording.
fn code_block(root: &Path, content: &str, lines_of_hunk: LinesOfHunk) -> Result<String> {
    let (language, code) = match content.split(' ').collect::<Vec<&str>>().as_slice() {
        ["body", package, name] => {
            let exercises = StepSource::open(root, package)?.exercises()?;
            let exercise = exercises.into_iter().find(|it| it.name == *name);
            let exercise = exercise.with_context(|| format!("no exercise `{name}`"))?;
            ("rust", exercise.solution())
        }
        ["scene", package, name] => {
            ("text", StepSource::open(root, package)?.scene(name, &[])?.transcript)
        }
        ["recording", package, name] => return recordings::data(root, package, name),
        ["bug", package, name, index] => {
            let bugs = hunt::bugs_of(root, package, name)?;
            let (answer, _) = bugs.into_iter().nth(index.parse()?).context("no such bug")?;
            ("rust", outdented(&answer.body.lines().collect::<Vec<&str>>()))
        }
        ["hunk", step, index] => ("diff", lines_of_hunk(root, step, index.parse()?)?),
        _ => bail!("a fold of {content:?}"),
    };
    let code = escaped(code.trim_end());
    Ok(format!("<pre><code class=\"language-{language}\">{code}\n</code></pre>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_replaced_and_the_rest_of_the_page_stays() {
        let page = format!("a{BEGIN}{MARK}one{MARK_END}</details>b{BEGIN}{MARK}two{MARK_END}c");
        let filled = filled(&page, |content| Ok(content.to_uppercase())).expect("marks");
        assert_eq!(filled, format!("a{BEGIN}ONE</details>b{BEGIN}TWOc"));
    }

    #[test]
    fn a_fold_that_would_stay_empty_is_an_error() {
        let page = format!("{BEGIN}<div class=\"x\" data-fold=\"one\"></div></details>");
        let error = filled(&page, |_| Ok(String::new())).expect_err("no mark");
        assert_eq!(error.to_string(), "1 folds for readers to open later, but 0 marks");
    }
}
