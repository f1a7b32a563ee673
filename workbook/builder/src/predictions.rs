//! The prediction sheets: every prediction that the chapters ask for, in printable form, with its
//! answer.
//!
//! None of the sheets' text is written separately. A prediction is a `{{#scene …}}` or a
//! `{{#figure …}}` in a chapter, or a fold that begins with `Predict:`. A sheet shows the text
//! before the question, the question, and some blanks. For a scene, the sheet also shows the code,
//! and there's a blank for each line of the transcript.
//!
//! The text before the question is the paragraph before the prediction. If a prediction needs more
//! or less text, the chapter marks the beginning of the sheet's text with the line
//! `<!-- sheet -->`. `sheets.rs` formats the sheets.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::figures;
use crate::forms::{FOLD, sheet_of, split_answers, split_list};
use crate::index::{self, Page};
use crate::steps::{StepSource, chapter_of, packages};

const SCENE: &str = "{{#scene ";
const FIGURE: &str = "{{#figure ";
const MARK: &str = "<!-- sheet -->";
/// The number of blanks for a prediction without a transcript.
const LINES_OF_A_FOLD: usize = 3;

/// A prediction that a chapter asks for.
pub(crate) struct Prediction {
    /// The step's number and a letter: `2B` is the second prediction in step 02's chapter.
    pub(crate) label: String,
    /// The scene's name, or the question of a fold or a figure. Plans refer to the prediction by
    /// this name or by some words from it.
    pub(crate) name: String,
    /// The file of the page that contains the prediction, such as `step02_bites.md`.
    pub(crate) page: String,
    /// The text before the question on the page.
    pub(crate) context: String,
    pub(crate) question: String,
    pub(crate) code: Option<String>,
    /// The text that a sheet shows at the beginning of each line of the answer.
    pub(crate) blanks: Vec<String>,
    pub(crate) answer: String,
    pub(crate) form: Form,
}

/// The form in which a page asks the question.
pub(crate) enum Form {
    /// A scene with these helpers and with the list of wrong answers that the chapter expects from
    /// readers.
    Scene { package: String, helpers: Vec<String>, wrong: String },
    /// A choice of answers, with the id of their form.
    Answers { id: String, answers: Vec<Value> },
}

/// A step's predictions, in the order of the book.
pub(crate) struct Sheet {
    pub(crate) package: String,
    pub(crate) title: String,
    pub(crate) predictions: Vec<Prediction>,
}

impl Prediction {
    /// Returns the prediction's HTML id on the page with the sheets.
    pub(crate) fn id(&self) -> String {
        format!("predict-{}", self.label.to_lowercase())
    }

    /// Returns the name of the prediction's scene, or `None` if the prediction has no scene.
    pub(crate) fn scene(&self) -> Option<&str> {
        self.code.as_ref().map(|_| self.name.as_str())
    }

    fn of_scene(root: &Path, words: &[&str], wrong: &str) -> Result<Self> {
        let [package, name, helpers @ ..] = words else { bail!("a scene without a name") };
        let scene = StepSource::open(root, package)?.scene(name, helpers)?;
        let sheet = sheet_of(root, package, name, helpers, wrong)?;
        let begins = sheet.lines.iter().map(|line| match line.form.asked.split_once("____") {
            Some((begins, _)) if line.is_asked && sheet.choices.is_empty() => begins.to_owned(),
            _ => String::new(),
        });
        Ok(Prediction {
            name: (*name).to_owned(),
            blanks: begins.collect(),
            question: scene.question,
            code: Some(scene.code),
            answer: format!("```text\n{}\n```", scene.transcript),
            label: String::new(),
            page: String::new(),
            context: String::new(),
            form: Form::Scene {
                package: (*package).to_owned(),
                helpers: helpers.iter().map(|&it| it.to_owned()).collect(),
                wrong: wrong.to_owned(),
            },
        })
    }

    fn of_figure(name: &str) -> Result<Self> {
        let (question, answer, answers) = figures::on_paper(name)?;
        let form = Form::Answers { id: format!("figure/{name}"), answers };
        Ok(Prediction::without_code(question, answer, form))
    }

    /// Creates a prediction from a fold's summary and content. `id` is the id of the fold's form.
    fn of_fold(root: &Path, id: String, summary: &str, inside: &str) -> Result<Self> {
        let (inside, answers) = split_answers(inside)?;
        let name = summary.split_whitespace().collect::<Vec<&str>>().join(" ");
        let answer = without_pictures(root, inside.trim())?;
        Ok(Prediction::without_code(name, answer, Form::Answers { id, answers }))
    }

    /// Creates a prediction that has only a question, an answer, and a form.
    fn without_code(name: String, answer: String, form: Form) -> Self {
        Prediction {
            question: capitalized(&name),
            name,
            code: None,
            blanks: vec![String::new(); LINES_OF_A_FOLD],
            answer,
            label: String::new(),
            page: String::new(),
            context: String::new(),
            form,
        }
    }
}

/// Returns the sheets of all steps.
pub(crate) fn sheets(root: &Path) -> Result<Vec<Sheet>> {
    let pages = index::pages(root)?;
    let mut sheets = Vec::new();
    for (place, package) in packages(root)?.into_iter().enumerate() {
        let title = StepSource::open(root, &package)?.title()?;
        let mut sheet = Sheet { title, predictions: Vec::new(), package };
        let is_its = |page: &&Page| chapter_of(&page.name) == chapter_of(&sheet.package);
        for Page { name, text, .. } in pages.iter().filter(is_its) {
            let page = format!("{name}.md");
            sheet.predictions.extend(of_page(root, &page, text).context(page)?);
        }
        let step = place + 1;
        for (index, prediction) in sheet.predictions.iter_mut().enumerate() {
            prediction.label = format!("{step}{}", letters(index));
        }
        sheets.push(sheet);
    }
    Ok(sheets)
}

fn of_page(root: &Path, page: &str, text: &str) -> Result<Vec<Prediction>> {
    let mut found = Vec::new();
    let mut folds = 0;
    let mut rest = text;
    loop {
        let next = [SCENE, FIGURE, FOLD].map(|begin| rest.find(begin).map(|at| (at, begin)));
        let Some((at, begin)) = next.into_iter().flatten().min() else { return Ok(found) };
        let (before, after) = (&rest[..at], &rest[at + begin.len()..]);
        let mut prediction = if begin == SCENE {
            let (words, after) = after.split_once("}}").context("a scene without its end")?;
            let (wrong, after) = split_list(after)?;
            rest = after;
            Prediction::of_scene(root, &words.split(' ').collect::<Vec<&str>>(), wrong)?
        } else if begin == FIGURE {
            let (name, after) = after.split_once("}}").context("a figure without its end")?;
            rest = after;
            Prediction::of_figure(name)?
        } else {
            let (summary, after) = after.split_once("</summary>").context("no </summary>")?;
            let (inside, after) = after.split_once("</details>").context("no </details>")?;
            rest = after;
            folds += 1;
            Prediction::of_fold(root, format!("{page}/{folds}"), summary, inside)?
        };
        let context = context(before).with_context(|| format!("before {:?}", prediction.name))?;
        page.clone_into(&mut prediction.page);
        prediction.context = linked_from_elsewhere(context, page);
        prediction.question = linked_from_elsewhere(&prediction.question, page);
        prediction.answer = linked_from_elsewhere(&prediction.answer, page);
        found.push(prediction);
    }
}

/// From the text before a prediction, returns the part that a sheet repeats. Fails if the text has
/// no mark and doesn't end with a paragraph.
fn context(before: &str) -> Result<&str> {
    if let Some((_, marked)) = before.rsplit_once(MARK) {
        return Ok(marked.trim());
    }
    let last = before.trim().rsplit("\n\n").next().unwrap_or_default();
    ensure!(
        last.starts_with(|letter: char| letter.is_alphanumeric() || "`*([".contains(letter))
            && !last.contains("```"),
        "no paragraph for the sheet; put `{MARK}` where its text begins"
    );
    Ok(last)
}

/// Replaces the transcript directives in an answer with the transcripts' lines. Leaves out
/// pictures, because copies of them would repeat the ids in the chapter.
fn without_pictures(root: &Path, answer: &str) -> Result<String> {
    let mut pieces = answer.split("{{#");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (directive, rest) = piece.split_once("}}").context("a `{{#` without its `}}`")?;
        match directive.split(' ').collect::<Vec<&str>>().as_slice() {
            ["transcript", package, scene] => {
                let transcript = StepSource::open(root, package)?.scene(scene, &[])?.transcript;
                write!(text, "```text\n{transcript}\n```")?;
            }
            ["picture", _] => {}
            _ => bail!("an answer with {directive:?}"),
        }
        text += rest;
    }
    Ok(text)
}

/// Adjusts a page's links to its own sections so that they work on a different page.
fn linked_from_elsewhere(text: &str, page: &str) -> String {
    text.replace("](#", &format!("]({page}#"))
}

/// Returns the letters for an index: A to Z, then AA, AB and so on.
fn letters(index: usize) -> String {
    let last = char::from(b'A' + u8::try_from(index % 26).unwrap_or_default());
    let before = if index < 26 { String::new() } else { letters(index / 26 - 1) };
    format!("{before}{last}")
}

pub(crate) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_can_have_more_predictions_than_the_alphabet_has_letters() {
        assert_eq!([0, 25, 26, 53].map(letters), ["A", "Z", "AA", "BB"]);
    }

    #[test]
    fn the_text_for_a_sheet_is_the_last_paragraph_or_all_from_the_mark_on() {
        assert_eq!(context("# Title\n\nOne.\n\nTwo.\n\n").expect("a paragraph"), "Two.");
        let marked = format!("One.\n\n{MARK}\n\nTwo:\n\n```text\nx\n```\n\n");
        assert_eq!(context(&marked).expect("a mark"), "Two:\n\n```text\nx\n```");
        assert_eq!(context(&format!("One.\n\n{MARK}\n\n")).expect("a mark"), "");
    }

    #[test]
    fn a_prediction_after_something_else_needs_a_mark() {
        for before in
            ["# Title\n\n", "One.\n\n{{#exercise 1.1}}\n\n", "One.\n\n```text\nx\n```\n\n"]
        {
            let error = context(before).expect_err("no paragraph").to_string();
            assert!(error.contains(MARK), "{error}");
        }
    }
}
