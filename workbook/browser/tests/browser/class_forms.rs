//! The questions from the book's pages that a class is asked, with their answers.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use book_in_a_browser::predictions::predictions_of;
use serde_json::Value;

/// A way of predicting.
pub(super) enum How {
    Rightly,
    /// With a wrong answer that the chapter expects.
    AsExpectedWrongly,
    /// With the first value on offer, or the number 7.
    First,
    /// With the last value on offer, or the number 77.
    Last,
}

/// A question from the book's pages about a scene or a fold, with its answers.
pub(super) enum Asks {
    Lines(LinesOf),
    One(Answers),
}

pub(super) struct LinesOf(Value);

impl LinesOf {
    /// Returns the lines that the answers produce.
    pub(super) fn lines(&self, how: &How) -> Vec<String> {
        let lines = self.0["lines"].as_array().into_iter().flatten().enumerate();
        let answered = lines.filter(|(_, line)| line["given"] == false).map(|(at, line)| {
            let wrong = self.0["wrong"].as_array().into_iter().flatten();
            let expected = wrong.clone().find(|it| it["at"] == at).map(|it| &it["line"]);
            let expected = expected.filter(|_| matches!(how, How::AsExpectedWrongly));
            (at, expected.unwrap_or(&line["text"]).as_str().unwrap_or_default().to_owned())
        });
        let mut texts = vec![String::new(); self.0["lines"].as_array().map_or(0, Vec::len)];
        answered.for_each(|(at, text)| texts[at] = text);
        texts
    }

    pub(super) fn has_misconceptions(&self) -> bool {
        self.0["wrong"].as_array().is_some_and(|wrong| !wrong.is_empty())
    }
}

pub(super) struct Answers(Value);

impl Answers {
    pub(super) fn of(&self, how: &How) -> String {
        let is_right = matches!(how, How::Rightly);
        let mut answers = self.0["answers"].as_array().into_iter().flatten();
        let answer = answers.find(|answer| answer["right"] == is_right);
        answer.and_then(|it| it["text"].as_str()).unwrap_or_default().to_owned()
    }
}

/// Reads the forms on all of the built book's pages, by their ids.
pub(super) fn forms() -> Result<BTreeMap<String, Asks>> {
    let mut forms = BTreeMap::new();
    for page in book_in_a_browser::pages()? {
        for data in predictions_of(&page)? {
            let id = data["id"].as_str().context("an id")?.to_owned();
            let asks = if data["lines"].is_array() {
                Asks::Lines(LinesOf(data))
            } else {
                Asks::One(Answers(data))
            };
            forms.insert(id, asks);
        }
    }
    Ok(forms)
}
