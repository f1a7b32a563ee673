//! What the class can be asked, and whether an answer is right. The book's builder makes the polls
//! from the chapters; typed answers are judged as the terminal's `predict` does.

use std::collections::BTreeSet;

use runner::predict::{Misconception, Sheet, is_right, ours, overlooked};
use serde::Serialize;
use serde_json::{Value, json};

use crate::texts::shown;

/// The longest answer to a line, in bytes.
pub(crate) const LONGEST_ANSWER: usize = 200;

/// A question for the class. Its texts are HTML that the book's builder has made.
#[derive(Debug)]
pub struct Poll {
    /// What no other poll has: `step02_epoll/level_or_edge`.
    pub id: String,
    /// What the teacher's list says.
    pub title: String,
    /// What it's made of.
    pub kind: PollKind,
    /// The step that it's about.
    pub package: String,
    /// The page of the book that asks it: `step02.html`.
    pub page: String,
    /// What's asked, with what has to be known for it.
    pub question: String,
    /// The code, or nothing.
    pub code: String,
    /// What happened, and why. Nobody sees it before the end.
    pub explanation: String,
    /// What there is to answer.
    pub asks: Asks,
}

/// What a poll is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PollKind {
    /// A scene, which can be played.
    Scene,
    /// A question with a few answers.
    Fold,
    /// A wrong body: which promise does it break?
    Hunt,
}

/// What there is to answer, and what's right.
#[derive(Debug)]
pub enum Asks {
    /// The lines of a scene's transcript.
    Lines {
        /// The scene's name.
        scene: String,
        /// Its lines, with their blanks.
        sheet: Sheet,
        /// What it could have reported instead.
        outcomes: BTreeSet<String>,
        /// The wrong answers that the chapter expects.
        misconceptions: Vec<Misconception>,
    },
    /// One of a few answers.
    One(Vec<Choice>),
}

/// An answer to choose.
#[derive(Debug)]
pub struct Choice {
    /// What it says.
    pub text: String,
    /// What it overlooks, and `None` for the right one.
    pub overlooks: Option<String>,
}

/// What's said of an answer to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Judged<'a> {
    pub(crate) is_right: bool,
    pub(crate) overlooks: Option<&'a str>,
}

/// What the class has answered to a line, and how often.
#[derive(Debug, Serialize)]
pub(crate) struct Group {
    pub(crate) typed: String,
    pub(crate) count: usize,
    pub(crate) right: bool,
    pub(crate) overlooks: Option<String>,
}

/// How many different answers to a line are told apart, and how much of each is shown.
const GROUPS: usize = 8;
const SHOWN: usize = 80;

impl Poll {
    /// Returns what a page needs to ask it. The answers aren't in it.
    pub(crate) fn asks(&self) -> Value {
        match &self.asks {
            Asks::Lines { sheet, .. } => {
                let lines = sheet.lines.iter().map(|line| {
                    let (is_chosen, is_given) = (line.choice.is_some(), !line.is_asked());
                    json!({ "asked": line.asked, "choice": is_chosen, "given": is_given })
                });
                let lines: Vec<Value> = lines.collect();
                json!({ "kind": "lines", "lines": lines, "choices": sheet.choices })
            }
            Asks::One(choices) => {
                let answers: Vec<&str> = choices.iter().map(|it| it.text.as_str()).collect();
                json!({ "kind": "one", "answers": answers })
            }
        }
    }

    /// Returns the name of its scene, if it has one.
    pub(crate) fn scene(&self) -> Option<&str> {
        match &self.asks {
            Asks::Lines { scene, .. } => Some(scene),
            Asks::One(_) => None,
        }
    }

    /// Returns true if this can be an answer: a text for each line, and none that's too long; or
    /// one of the answers.
    pub(crate) fn can_be(&self, typed: &[String]) -> bool {
        match &self.asks {
            Asks::Lines { sheet, .. } => {
                let is_short = |text: &String| text.len() <= LONGEST_ANSWER;
                typed.len() == sheet.lines.len() && typed.iter().all(is_short)
            }
            Asks::One(choices) => {
                matches!(typed, [text] if choices.iter().any(|it| it.text == *text))
            }
        }
    }

    /// Judges what was answered to a line. `None` if there was nothing to answer.
    pub(crate) fn judge(&self, at: usize, typed: &str) -> Option<Judged<'_>> {
        match &self.asks {
            Asks::Lines { sheet, outcomes, misconceptions, .. } => {
                let line = sheet.lines.get(at).filter(|line| line.is_asked())?;
                let is_right = is_right(typed, line, outcomes);
                let why = || overlooked(misconceptions, at, typed, outcomes);
                let overlooks = if is_right { None } else { why() };
                Some(Judged { is_right, overlooks })
            }
            Asks::One(choices) => {
                let overlooks = choices.iter().find(|it| it.text == typed)?.overlooks.as_deref();
                Some(Judged { is_right: overlooks.is_none(), overlooks })
            }
        }
    }

    /// Returns the one of a few answers that's wrong for this reason.
    pub(crate) fn chosen_by_those_who_overlook(&self, overlooks: &str) -> Option<&str> {
        let Asks::One(choices) = &self.asks else { return None };
        let choice = choices.iter().find(|it| it.overlooks.as_deref() == Some(overlooks))?;
        Some(&choice.text)
    }

    /// Returns what's right, line by line.
    pub(crate) fn texts(&self) -> Vec<&str> {
        match &self.asks {
            Asks::Lines { sheet, .. } => sheet.lines.iter().map(|it| it.text.as_str()).collect(),
            Asks::One(choices) => {
                let right = choices.iter().find(|it| it.overlooks.is_none());
                vec![right.map_or("", |it| it.text.as_str())]
            }
        }
    }

    /// Returns what each line says before it's answered, and whether there's something to answer.
    pub(crate) fn blanks(&self) -> Vec<(&str, bool)> {
        match &self.asks {
            Asks::Lines { sheet, .. } => {
                sheet.lines.iter().map(|it| (it.asked.as_str(), it.is_asked())).collect()
            }
            Asks::One(_) => vec![("", true)],
        }
    }

    /// Puts the answers to a line together that mean the same, those given most often first.
    pub(crate) fn groups<'a>(
        &self,
        at: usize,
        typed: impl Iterator<Item = &'a str>,
    ) -> (usize, Vec<Group>) {
        let mut groups: Vec<(String, Group)> = Vec::new();
        let mut right = 0;
        for typed in typed {
            let Some(Judged { is_right, overlooks }) = self.judge(at, typed) else { continue };
            right += usize::from(is_right);
            let meaning = match overlooks {
                _ if is_right => String::from("right"),
                Some(overlooks) => format!("overlooks {overlooks}"),
                None => format!("means {}", ours(typed)),
            };
            if let Some((_, group)) = groups.iter_mut().find(|(it, _)| *it == meaning) {
                group.count += 1;
                continue;
            }
            let overlooks = overlooks.map(str::to_owned);
            let typed = self.in_words(at, typed);
            groups.push((meaning, Group { typed, count: 1, right: is_right, overlooks }));
        }
        let mut groups: Vec<Group> = groups.into_iter().map(|(_, group)| group).collect();
        groups.sort_by(|one, other| other.count.cmp(&one.count).then(one.typed.cmp(&other.typed)));
        if groups.len() > GROUPS {
            let count = groups.drain(GROUPS..).map(|group| group.count).sum();
            let typed = "other answers".to_owned();
            groups.push(Group { typed, count, right: false, overlooks: None });
        }
        (right, groups)
    }

    /// Returns an answer as it's shown: a line in the place of its letter, and not too much of it.
    fn in_words(&self, at: usize, typed: &str) -> String {
        let typed = typed.trim();
        let said = match &self.asks {
            Asks::Lines { sheet, .. }
                if sheet.lines.get(at).is_some_and(|it| it.choice.is_some()) =>
            {
                shown(&chosen(&sheet.choices, typed).unwrap_or_else(|| typed.to_owned()))
            }
            Asks::Lines { .. } => shown(typed),
            // It's one of ours.
            Asks::One(_) => typed.to_owned(),
        };
        match said.char_indices().nth(SHOWN) {
            _ if said.is_empty() => "nothing".to_owned(),
            Some((end, _)) => said[..end].to_owned() + "…",
            None => said,
        }
    }
}

/// Returns the line that a letter and its values stand for.
fn chosen(choices: &[String], typed: &str) -> Option<String> {
    let letter = typed.chars().next().filter(char::is_ascii_lowercase)?;
    let values = typed[1..].strip_prefix(' ').or((typed.len() == 1).then_some(""))?;
    let choice = choices.get(usize::try_from(u32::from(letter) - u32::from('a')).ok()?)?;
    let mut values = values.split(',').map(str::trim).filter(|value| !value.is_empty());
    let mut pieces = choice.split("____");
    let mut line = pieces.next()?.to_owned();
    for piece in pieces {
        line += values.next().unwrap_or("____");
        line += piece;
    }
    Some(line)
}
