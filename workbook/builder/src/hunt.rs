//! The hunt for bugs. Each bug is a wrong body for an exercise, with an explanation for the reader
//! and a list of promises, one of which the body breaks. The bugs come from the documents in
//! `tests/answers`, and `author check` tests each answer in these documents.

use std::path::Path;

use anyhow::{Context, Result};
use author::documents::{Answer, Bug, read_document};
use exercises::Exercise;
use serde_json::Value;

use crate::exercises::ExerciseSource;
use crate::folds::Folds;
use crate::forms::{FOLD, of_answers, split_answers};
use crate::steps::{StepSource, directory_of, outdented};

/// Returns a step's bugs as Markdown, in the order of the step's exercises.
pub(crate) fn of_step(root: &Path, package: &str, folds: &Folds) -> Result<String> {
    let mut sections = Vec::new();
    for exercise in StepSource::open(root, package)?.exercises()? {
        for (answer, bug) in &bugs_of(root, package, &exercise.name)? {
            sections.push(section(&exercise, answer, bug, folds)?);
        }
    }
    Ok(sections.join("\n\n"))
}

/// Returns an exercise's bugs: those wrong answers for which the document declares a [`Bug`].
pub(crate) fn bugs_of(root: &Path, package: &str, exercise: &str) -> Result<Vec<(Answer, Bug)>> {
    let file = directory_of(root, package)?.join(format!("tests/answers/{exercise}.md"));
    let answers = read_document(&file)?.into_iter();
    Ok(answers.filter_map(|answer| answer.bug.clone().map(|bug| (answer, bug))).collect())
}

fn section(exercise: &ExerciseSource, answer: &Answer, bug: &Bug, folds: &Folds) -> Result<String> {
    let Exercise { number, name, task, .. } = &exercise.declared;
    let package = &exercise.package;
    let body = outdented(&answer.body.lines().collect::<Vec<&str>>());
    let body = folds.of_solution(&[exercise], "rust", &body);
    let form = of_answers(&id(exercise, answer), answers(answer, bug)?);
    let Bug { breaks, told, shown_by, .. } = bug;
    Ok(format!(
        "### {number} `{name}`: a bug\n\n\
         {task}\n\n\
         <div class=\"hunt\" data-number=\"{number}\">\n\n\
         {body}\n\n{form}\n\n\
         {FOLD} which promise does this body break?</summary>\n\n\
         *{breaks}* `{shown_by}` of `{package}` shows that the body breaks this promise. With this \
         body on their page, a reader is told:\n\n```text\n{told}```\n\n</details>\n\n</div>"
    ))
}

/// Returns the id of a bug's form.
fn id(exercise: &ExerciseSource, answer: &Answer) -> String {
    format!("hunt/{}/{}", exercise.name, answer.name)
}

/// Returns the promises that a bug's form offers as answers.
pub(crate) fn answers(answer: &Answer, bug: &Bug) -> Result<Vec<Value>> {
    let kept = bug.keeps.iter().map(|(promise, why)| format!("- {promise} | It does: {why}"));
    let listed = kept.collect::<Vec<String>>().join("\n");
    // Remove the backticks, because answers are plain text.
    let list = format!("\n<!-- answers\n= {}\n{listed}\n-->\n", bug.breaks).replace('`', "");
    let (_, answers) = split_answers(&list).with_context(|| answer.name.clone())?;
    Ok(answers)
}
