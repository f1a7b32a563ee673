//! `-- predict NAME --json`: a prediction in which another program, such as a page of the book,
//! asks the reader for the values. That program sends the reader's answers and receives the score.

use std::io;
use std::process::ExitCode;

use anyhow::{Context, ensure};

use super::score::{Score, Scores};
use super::{sheet_of, source_of};
use crate::chapter::Chapter;
use crate::commands::scene;
use crate::part::told_score;
use crate::{events, object};
use judging::notebook::Notebook;
use judging::step::Step;

/// Reads an input line for each line of the transcript and saves the score. Input for lines that
/// the reader doesn't have to predict is ignored, and so is input for lines that were predicted
/// earlier, since a reader predicts each line only once.
pub(crate) fn take(step: &Step, name: &str) -> anyhow::Result<ExitCode> {
    let scene = scene(step, name)?;
    let notebook = Notebook::of_step(step)?;
    // A page about a different step can ask for this prediction, too.
    let chapter = Chapter::whole_book(&notebook.workbook)?;
    let source = source_of(&notebook.workbook, &chapter, step.package, name)?;
    let sheet = sheet_of(step, &scene, &chapter, &source)?;
    let typed: Vec<String> = io::stdin().lines().collect::<Result<_, _>>().context("read lines")?;
    let (lines, given) = (sheet.lines.len(), typed.len());
    ensure!(
        lines == given,
        "{name} prints {lines} lines, but there are answers for {given} lines. If a page of the \
         book sent the answers, it's older than the workbook: reload the page"
    );
    let mut scores = Scores::of(&notebook)?;
    let of = sheet.asked();
    let before = scores.before(step.package, name, of);
    let mut score = Score { of, ..before.unwrap_or_default() };
    let asked = typed.iter().enumerate().filter(|(at, _)| sheet.lines[*at].is_asked);
    for (at, typed) in asked.skip(score.asked) {
        score.asked += 1;
        score.right += usize::from(sheet.is_right(at, typed));
    }
    if before != Some(score) {
        scores.note(step.package, name, score)?;
    }
    let told = object! { package: step.package }.and(told_score(name, score));
    events::tell("predicted", told);
    Ok(ExitCode::SUCCESS)
}
