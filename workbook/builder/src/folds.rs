//! Folds for code that readers should first write themselves and for outcomes that they should
//! first predict.
//!
//! mdBook never sees the code in such a fold, because the chapter contains only a *mark* in its
//! place. So the code can't end up in the search index or on the page for printing the whole book.
//! We keep the code, and after mdBook has built the pages, we replace each mark in a chapter's page
//! with it, in a `<details>` that opens without scripts. The page for printing gets a note instead.
//! A prediction's transcript is treated in the same way, except that it's printed, too. A scene's
//! recording isn't printed.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result, ensure};

use crate::exercises::ExerciseSource;
use crate::links::html_files;
use crate::markdown::escaped;

/// The page for printing the whole book.
pub(crate) const PRINTED: &str = "print.html";
const BEGIN: &str = "<details class=\"yours-first\">";
const MARK: &str = "<div data-fold=\"";
const MARK_END: &str = "\"></div>";

/// The HTML that takes the marks' places. A mark is an index into this list, and stays valid once
/// it's replaced, because the page for printing repeats the chapters' marks.
#[derive(Clone, Default)]
pub(crate) struct Folds(Rc<RefCell<Vec<(Kind, String)>>>);

/// What a mark stands for, which decides whether it's printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Code that readers should first write themselves.
    Solution,
    Transcript,
    Recording,
}

impl Folds {
    /// Returns a fold for the body of an exercise.
    pub(crate) fn of_body(&self, exercise: &ExerciseSource) -> String {
        self.of_solution(&[exercise], "rust", &exercise.solution())
    }

    /// Returns a fold for code that shows these exercises, or parts of them.
    pub(crate) fn of_solution(
        &self,
        exercises: &[&ExerciseSource],
        language: &str,
        code: &str,
    ) -> String {
        let yours = exercises.iter().map(|exercise| {
            let (number, package) = (&exercise.number, &exercise.package);
            let command = format!("<code>cargo run -p {package}</code>");
            format!("exercise {number}<span class=\"in-terminal\">, {command}</span>")
        });
        let yours = yours.collect::<Vec<String>>().join(", and ");
        let mark = self.keep(Kind::Solution, code_block(language, code));
        format!(
            "{BEGIN}\n<summary>Our solution, after yours: {yours}</summary>\n{mark}\n</details>"
        )
    }

    /// Returns the mark for a scene's transcript inside a fold.
    pub(crate) fn of_transcript(&self, transcript: &str) -> String {
        self.keep(Kind::Transcript, code_block("text", transcript))
    }

    /// Returns the mark for a scene's recording.
    pub(crate) fn of_recording(&self, html: String) -> String {
        self.keep(Kind::Recording, html)
    }

    /// Keeps some HTML and returns the mark for it.
    fn keep(&self, kind: Kind, html: String) -> String {
        let mut kept = self.0.borrow_mut();
        kept.push((kind, html));
        format!("{MARK}{}{MARK_END}", kept.len() - 1)
    }

    /// Replaces the marks in all pages of the built book.
    pub(crate) fn fill(&self, pages: &Path) -> Result<()> {
        for path in html_files(pages)? {
            let page = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let filled = self.filled(&page, path.ends_with(PRINTED));
            let filled = filled.with_context(|| path.display().to_string())?;
            // Replace table headers without text, which are confusing in a screen reader.
            let filled = filled.replace("<th></th>", "<td></td>");
            fs::write(&path, filled).with_context(|| format!("write {}", path.display()))?;
        }
        Ok(())
    }

    /// Returns a page with its marks replaced. Fails if a reader's fold has no recognizable mark,
    /// because the fold would then be empty in the built book.
    fn filled(&self, page: &str, is_printed: bool) -> Result<String> {
        let kept = self.0.borrow();
        let folds = page.matches(BEGIN).count();
        let mut pieces = page.split(MARK);
        let mut filled = pieces.next().unwrap_or_default().to_owned();
        let mut marks = 0;
        for piece in pieces {
            let (index, rest) = piece.split_once(MARK_END).context("a mark without an end")?;
            let (kind, html) = kept.get(index.parse::<usize>()?).context("a mark of nothing")?;
            filled += match kind {
                Kind::Solution if is_printed => "<p>The printed book leaves this out.</p>",
                Kind::Recording if is_printed => "",
                _ => html,
            };
            filled += rest;
            marks += usize::from(*kind == Kind::Solution);
        }
        ensure!(folds == marks, "{folds} folds for readers to open later, but {marks} marks");
        Ok(filled)
    }
}

/// Returns a block of code in mdBook's HTML format.
fn code_block(language: &str, code: &str) -> String {
    let code = escaped(code.trim_end());
    format!("<pre><code class=\"language-{language}\">{code}\n</code></pre>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_replaced_and_the_rest_of_the_page_stays() {
        let folds = Folds::default();
        let [one, two] = ["ONE", "TWO"].map(|html| folds.keep(Kind::Solution, html.to_owned()));
        let page = format!("a{BEGIN}{one}</details>b{BEGIN}{two}c");
        let filled = folds.filled(&page, false).expect("marks");
        assert_eq!(filled, format!("a{BEGIN}ONE</details>b{BEGIN}TWOc"));
    }

    #[test]
    fn a_fold_that_would_stay_empty_is_an_error() {
        let page = format!("{BEGIN}<div class=\"x\" data-fold=\"0\"></div></details>");
        let error = Folds::default().filled(&page, false).expect_err("no mark");
        assert_eq!(error.to_string(), "1 folds for readers to open later, but 0 marks");
    }
}
