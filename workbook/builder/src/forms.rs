//! The forms with which the pages' scripts ask questions. A scene's form has blanks in the scene's
//! recorded lines or a choice of lines. Any other form has a choice of answers to the question of a
//! fold.
//!
//! A form's data is in a hidden block of the page, and `theme/predict.js` builds the form from it.
//! Since the data is in the page itself, the forms also work in a page opened from a file. Without
//! scripts, the page shows its text but no forms.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use class::polls::without_answers;
use judging::workbook::{Workbook, without_header};
use runner::predict::{SceneSource, Sheet};
use scene::values::marked;
use serde_json::{Value, json};

use crate::steps::{directory_of, read};

/// The beginning of a fold that asks a question, as HTML.
pub(crate) const FOLD: &str = "<details><summary><strong>Predict:</strong>";
const ANSWERS: &str = "<!-- answers\n";

/// Returns a scene's sheet. `wrong` lists the wrong answers that the chapter expects from readers.
pub(crate) fn sheet_of<S: AsRef<str>>(
    root: &Path,
    package: &str,
    name: &str,
    helpers: &[S],
    wrong: &str,
) -> Result<Sheet> {
    let path = directory_of(root, package)?.join(format!("tests/blanks/{name}.snap"));
    let recorded = read(&path).context("its test records the blanks (with INSTA_UPDATE=always)")?;
    let lines: Vec<String> = without_header(&recorded).trim_end().lines().map(marked).collect();
    let helpers: Vec<String> = helpers.iter().map(|it| it.as_ref().to_owned()).collect();
    let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR"))?;
    let SceneSource { code, asks_for_order, .. } =
        SceneSource::find(&workbook, package, name, Some(&helpers))?;
    Sheet::new(&code, &lines, asks_for_order, wrong)
}

/// Returns a scene's form. `wrong` lists the wrong answers that the chapter expects from readers.
pub(crate) fn of_scene(
    root: &Path,
    package: &str,
    name: &str,
    helpers: &[&str],
    wrong: &str,
) -> Result<String> {
    let sheet = sheet_of(root, package, name, helpers, wrong)?;
    let mut data = without_answers(&sheet);
    for (line, data) in sheet.lines.iter().zip(data["lines"].as_array_mut().context("lines")?) {
        data["text"] = line.text.clone().into();
    }
    data["version"] = version(&data).into();
    // The version leaves out the sentences about wrong answers, because changing only those
    // sentences doesn't change the prediction.
    let wrong = sheet
        .wrong
        .iter()
        .map(|it| json!({ "at": it.at, "line": it.line, "overlooks": it.overlooks }));
    data["wrong"] = wrong.collect();
    data["id"] = format!("{package}/{name}").into();
    Ok(form(&data))
}

/// In a page's text, inserts a form before each fold that asks a question and removes the list of
/// answers from the fold. Returns the new text.
pub(crate) fn before_folds(page: &str, text: &str) -> Result<String> {
    let mut pieces = text.split(FOLD);
    let mut with_forms = pieces.next().unwrap_or_default().to_owned();
    for (index, piece) in pieces.enumerate() {
        let (summary, inside) = piece.split_once("</summary>").context("no </summary>")?;
        let (inside, answers) = split_answers(inside)?;
        with_forms += &of_answers(&format!("{page}/{}", index + 1), answers);
        with_forms += "\n\n";
        with_forms.extend([FOLD, summary, "</summary>", &inside]);
    }
    Ok(with_forms)
}

/// Splits the text after a scene into the list of wrong answers and the rest.
pub(crate) fn split_list(behind: &str) -> Result<(&str, &str)> {
    match behind.trim_start().strip_prefix(ANSWERS) {
        Some(list) => list.split_once("-->").context("a list of answers without its end"),
        None => Ok(("", behind)),
    }
}

/// Splits the content of a fold into its text and its list of answers. In the list, the right
/// answer's line is `= answer`, and a wrong answer's line is `- answer | why not`.
pub(crate) fn split_answers(inside: &str) -> Result<(String, Vec<Value>)> {
    let split = inside.split_once(ANSWERS).filter(|(before, _)| before.trim().is_empty());
    let (before, list) = split.context("a question needs its answers, first of all")?;
    let (list, after) = list.split_once("-->").context("a list of answers without its end")?;
    let mut answers = Vec::new();
    for line in list.lines() {
        answers.push(match (line.strip_prefix("= "), line.strip_prefix("- ")) {
            (Some(text), _) => json!({ "text": text, "right": true, "why": "" }),
            (_, Some(wrong)) => {
                let (text, why) =
                    wrong.split_once(" | ").context("a wrong answer needs its why")?;
                json!({ "text": text, "right": false, "why": why })
            }
            _ => bail!("{line:?} isn't an answer: begin it with `= ` or `- `"),
        });
    }
    let right = answers.iter().filter(|answer| answer["right"] == true).count();
    ensure!(right == 1, "{right} of the answers are right, and one should be");
    Ok((format!("{}\n\n{}", before.trim_end(), after.trim_start()), answers))
}

/// Returns the form for a question with a choice of answers. The question's fold comes after the
/// form.
pub(crate) fn of_answers(id: &str, mut answers: Vec<Value>) -> String {
    sort(&mut answers);
    let mut data = json!({ "answers": answers });
    data["version"] = version(&data).into();
    data["id"] = id.into();
    form(&data)
}

/// Sorts answers by their text. Authors write the right answer first, so the original order would
/// reveal it.
pub(crate) fn sort(answers: &mut [Value]) {
    answers.sort_by(|one, other| one["text"].as_str().cmp(&other["text"].as_str()));
}

fn form(data: &Value) -> String {
    format!("<div class=\"predict\">{}</div>", block("", data))
}

/// Returns a block of data with the predictions on all pages, for the counts in the sidebar.
/// `texts` contains each page's file name and text. The texts include the forms.
pub(crate) fn listed(texts: &[(String, String)]) -> String {
    let mut pages = BTreeMap::new();
    for (page, text) in texts {
        let ids = text.split("<div class=\"predict\">").skip(1);
        let ids = ids.filter_map(|form| form.split("\"id\":\"").nth(1)?.split('"').next());
        let ids: Vec<&str> = ids.collect();
        if !ids.is_empty() {
            pages.insert(page.replace(".md", ".html"), ids);
        }
    }
    block(" id=\"predictions-of-pages\"", &json!(pages))
}

/// Returns a block of data that browsers don't show. The block is on one line, because in Markdown,
/// a blank line could end the HTML around it.
pub(crate) fn block(attributes: &str, data: &Value) -> String {
    // Escape each `<`, because no part of the data may look like the end of the block.
    let data = data.to_string().replace('<', "\\u003c");
    format!("<script type=\"application/json\"{attributes}>{data}</script>")
}

/// Returns a string that changes whenever the prediction changes.
fn version(data: &Value) -> String {
    let mut hasher = DefaultHasher::new();
    data.to_string().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fold_s_answers_are_asked_before_it() {
        let fold = format!(
            "One.\n\n{FOLD} how often?</summary>\n\n<!-- answers\n= once\n- twice | It's one.\n-->\n\nOnce.\n\n</details>"
        );
        let text = before_folds("step09.md", &fold).expect("a fold");
        assert!(
            text.contains("<div class=\"predict\"><script type=\"application/json\">{\"answers\":")
        );
        assert!(text.contains("\"id\":\"step09.md/1\""), "{text}");
        assert!(
            text.ends_with(&format!("{FOLD} how often?</summary>\n\nOnce.\n\n</details>")),
            "{text}"
        );
        let pages = listed(&[("step09.md".to_owned(), text)]);
        assert!(pages.contains("{\"step09.html\":[\"step09.md/1\"]}"), "{pages}");
    }

    #[test]
    fn a_list_of_answers_needs_one_right_answer_and_reasons_for_the_others() {
        let answers = |list: &str| split_answers(&format!("\n<!-- answers\n{list}\n-->\n"));
        assert!(answers("- once | no\n- twice | no").is_err());
        assert!(answers("= once\n= twice").is_err());
        assert!(answers("= once\n- twice").is_err());
        assert!(answers("= once\nor twice").is_err());
        let sorted = of_answers("x", answers("= once\n- a dozen times | no").expect("answers").1);
        assert!(sorted.find("a dozen times") < sorted.find("once"), "{sorted}");
        assert!(split_answers("\n\nA text. <!-- a remark -->").is_err());
    }

    #[test]
    fn a_list_stands_right_behind_its_scene() {
        let (list, rest) =
            split_list("\n\n<!-- answers\n- 2: on, on | It's once.\n-->\n\nText").expect("a list");
        assert_eq!((list, rest), ("- 2: on, on | It's once.\n", "\n\nText"));
        let text = "\n\nText <!-- answers\n";
        assert_eq!(split_list(text).expect("none"), ("", text));
        assert!(split_list("<!-- answers\n- 2: on").is_err());
    }

    #[test]
    fn nothing_in_a_block_ends_it() {
        let block = block("", &json!("</script>"));
        assert_eq!(block.matches("</script>").count(), 1);
    }
}
