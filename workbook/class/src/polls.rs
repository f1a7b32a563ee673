//! The class's questions and the judgement of answers. The book's builder creates the polls from
//! the book's predictions and bugs. Answers are parsed and judged as in the terminal's `predict`.

use std::collections::BTreeMap;

use runner::predict::{LineForm, Sheet};
use serde::Serialize;
use serde_json::{Value, json};

use crate::texts::shown;

/// The maximum length of a student's answer to one line of a transcript, in bytes.
pub(crate) const LONGEST_ANSWER: usize = 200;

/// A question for the class. Its texts are HTML from the book's builder.
#[derive(Debug)]
pub struct Poll {
    /// The poll's id: `step02_epoll/level_or_edge`.
    pub id: String,
    /// The poll's title in the teacher's list.
    pub title: String,
    /// The part of the book that the poll was made from.
    pub kind: PollKind,
    /// The step that the poll is about.
    pub package: String,
    /// The page of the book that asks the question: `step02.html`.
    pub page: String,
    /// The question, with everything that students need to answer it.
    pub question: String,
    /// The code, or an empty string.
    pub code: String,
    /// The explanation of the outcome. Students see it only at the end.
    pub explanation: String,
    /// The possible answers.
    pub asks: Asks,
}

/// The part of the book that a poll was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PollKind {
    /// A scene, which can be played.
    Scene,
    /// A question with a choice of answers.
    Fold,
    /// A wrong body and the question of which promise the body breaks.
    Hunt,
}

/// The possible answers and the right one.
#[derive(Debug)]
pub enum Asks {
    /// The lines of a scene's transcript.
    Lines {
        /// The scene's name.
        scene: String,
        /// The scene's lines, with their blanks.
        sheet: Sheet,
    },
    /// One of a few answers.
    One(Vec<Choice>),
}

/// An answer to choose.
#[derive(Debug)]
pub struct Choice {
    /// The text of the answer.
    pub text: String,
    /// The fact that the answer overlooks, or `None` for the right answer.
    pub overlooks: Option<String>,
}

/// The judgement on an answer to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Judged<'a> {
    pub(crate) is_right: bool,
    pub(crate) overlooks: Option<&'a str>,
}

/// One of the class's answers to a line, with the number of students who gave that answer.
#[derive(Debug, Serialize)]
pub(crate) struct Group {
    pub(crate) typed: String,
    pub(crate) count: usize,
    pub(crate) right: bool,
    pub(crate) overlooks: Option<String>,
}

/// Returns the part of a sheet that a page needs for its questions: the blanks, and the lines and
/// words to choose from. The result doesn't reveal which answers are right.
pub fn without_answers(sheet: &Sheet) -> Value {
    let form = |LineForm { label, asked, blanks }: &LineForm| {
        let blanks: Vec<&[usize]> = blanks.iter().map(|blank| blank.0.as_slice()).collect();
        json!({ "label": label, "asked": asked, "blanks": blanks })
    };
    let lines = sheet.lines.iter().map(|line| {
        let mut asked = form(&line.form);
        asked["given"] = (!line.is_asked).into();
        asked
    });
    let bank = sheet.bank.iter().map(|it| json!({ "label": it.label, "text": it.text }));
    json!({
        "lines": lines.collect::<Vec<Value>>(),
        "choices": sheet.choices.iter().map(form).collect::<Vec<Value>>(),
        "bank": bank.collect::<Vec<Value>>(),
    })
}

/// The maximum number of different answers to a line that we list separately, and the maximum
/// number of characters that we show of each answer.
const GROUPS: usize = 8;
const SHOWN: usize = 80;

impl Poll {
    /// Returns the part of a poll that a page needs for its questions. The result doesn't reveal
    /// which answers are right.
    pub(crate) fn asks(&self) -> Value {
        match &self.asks {
            Asks::Lines { sheet, .. } => {
                let mut asks = without_answers(sheet);
                asks["kind"] = "lines".into();
                asks
            }
            Asks::One(choices) => {
                let answers: Vec<&str> = choices.iter().map(|it| it.text.as_str()).collect();
                json!({ "kind": "one", "answers": answers })
            }
        }
    }

    /// Returns the name of the poll's scene, or `None` if the poll has no scene.
    pub(crate) fn scene(&self) -> Option<&str> {
        match &self.asks {
            Asks::Lines { scene, .. } => Some(scene),
            Asks::One(_) => None,
        }
    }

    /// Returns true if `typed` can be an answer: either a valid or an empty answer for each line,
    /// or one of the choices.
    pub(crate) fn can_be(&self, typed: &[String]) -> bool {
        match &self.asks {
            Asks::Lines { sheet, .. } => {
                let can_be = |(at, text): (usize, &String)| {
                    text.is_empty()
                        || (text.len() <= LONGEST_ANSWER && sheet.read(at, text).is_some())
                };
                typed.len() == sheet.lines.len() && typed.iter().enumerate().all(can_be)
            }
            Asks::One(choices) => {
                matches!(typed, [text] if choices.iter().any(|it| it.text == *text))
            }
        }
    }

    /// Judges an answer to a line. Returns `None` if the line has no question or `typed` isn't one
    /// of the choices.
    pub(crate) fn judge(&self, at: usize, typed: &str) -> Option<Judged<'_>> {
        match &self.asks {
            Asks::Lines { sheet, .. } => {
                sheet.lines.get(at).filter(|line| line.is_asked)?;
                let is_right = sheet.is_right(at, typed);
                Some(Judged { is_right, overlooks: sheet.overlooked(at, typed) })
            }
            Asks::One(choices) => {
                let overlooks = choices.iter().find(|it| it.text == typed)?.overlooks.as_deref();
                Some(Judged { is_right: overlooks.is_none(), overlooks })
            }
        }
    }

    /// Returns the text of the choice that overlooks this fact.
    pub(crate) fn chosen_by_those_who_overlook(&self, overlooks: &str) -> Option<&str> {
        let Asks::One(choices) = &self.asks else { return None };
        let choice = choices.iter().find(|it| it.overlooks.as_deref() == Some(overlooks))?;
        Some(&choice.text)
    }

    /// Returns the right answers, line by line.
    pub(crate) fn texts(&self) -> Vec<&str> {
        match &self.asks {
            Asks::Lines { sheet, .. } => sheet.lines.iter().map(|it| it.text.as_str()).collect(),
            Asks::One(choices) => {
                let right = choices.iter().find(|it| it.overlooks.is_none());
                vec![right.map_or("", |it| it.text.as_str())]
            }
        }
    }

    /// Returns each line as students see it before they answer, and whether the line has a
    /// question.
    pub(crate) fn blanks(&self) -> Vec<(&str, bool)> {
        match &self.asks {
            Asks::Lines { sheet, .. } => {
                sheet.lines.iter().map(|it| (it.form.asked.as_str(), it.is_asked)).collect()
            }
            Asks::One(_) => vec![("", true)],
        }
    }

    /// Returns the number of right answers to a line, and the groups of equal answers, with the
    /// most frequent answer first.
    pub(crate) fn groups<'a>(
        &self,
        at: usize,
        typed: impl Iterator<Item = &'a str>,
    ) -> (usize, Vec<Group>) {
        let mut groups: BTreeMap<String, Group> = BTreeMap::new();
        let mut all_right = 0;
        for typed in typed {
            let Some(Judged { is_right: right, overlooks }) = self.judge(at, typed) else {
                continue;
            };
            all_right += usize::from(right);
            let typed = self.in_words(at, typed);
            let overlooks = overlooks.map(str::to_owned);
            let new = || Group { typed: typed.clone(), count: 0, right, overlooks };
            groups.entry(typed.clone()).or_insert_with(new).count += 1;
        }
        let mut groups: Vec<Group> = groups.into_values().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.count));
        if groups.len() > GROUPS {
            let count = groups.drain(GROUPS..).map(|group| group.count).sum();
            let typed = "other answers".to_owned();
            groups.push(Group { typed, count, right: false, overlooks: None });
        }
        (all_right, groups)
    }

    /// Returns an answer in its visible form, cut to a maximum length. In a class that began with
    /// an older version of the workbook, students may have typed words that they'd choose from a
    /// list today.
    fn in_words(&self, at: usize, typed: &str) -> String {
        let said = match &self.asks {
            Asks::Lines { sheet, .. } => shown(&sheet.in_words(at, typed)),
            Asks::One(_) => typed.to_owned(),
        };
        match said.char_indices().nth(SHOWN) {
            _ if said.is_empty() => "(left empty)".to_owned(),
            Some((end, _)) => said[..end].to_owned() + "…",
            None => said,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scene::values::marked;

    #[test]
    fn an_answer_that_an_older_version_has_kept_is_shown_and_is_not_right() {
        let said = ["it reads: ⟦2424⟧ bytes", "then: ⟦nothing⟧"].map(marked);
        let sheet = Sheet::new("", &said, false, "+ EOF").expect("a sheet");
        let poll = Poll {
            id: String::new(),
            title: String::new(),
            kind: PollKind::Scene,
            package: String::new(),
            page: String::new(),
            question: String::new(),
            code: String::new(),
            explanation: String::new(),
            asks: Asks::Lines { scene: String::new(), sheet },
        };
        let long = "no".repeat(SHOWN);
        let kept = ["b", "end\u{202e} of file", "nothing", "", "a", &long, "Nothing"];
        let (right, groups) = poll.groups(1, kept.into_iter());
        let groups: Vec<(&str, usize)> =
            groups.iter().map(|it| (it.typed.as_str(), it.count)).collect();
        let cut = format!("{}…", &long[..SHOWN]);
        let expected =
            [("nothing", 3), ("(left empty)", 1), ("EOF", 1), ("end of file", 1), (&cut, 1)];
        assert_eq!((right, groups), (3, expected.to_vec()));
    }
}
