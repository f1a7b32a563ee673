//! The wrong answers that a chapter expects, each with what it overlooks.
//!
//! The chapter lists them in a comment behind the scene, so that they're asked for nowhere and
//! shown only to a reader who gives one:
//!
//! ```text
//! {{#scene step02_epoll level_or_edge watch}}
//!
//! <!-- answers
//! - 3: readable, readable | An edge-triggered epoll reports an arrival once.
//! -->
//! ```
//!
//! The number is the transcript's line. Several values are separated by commas, or by ` / ` if one
//! has a comma itself; where a whole line is asked for, the answer is a line.

use std::collections::BTreeSet;

use anyhow::{Context, ensure};

use super::answer::is_right;
use super::sheet::{BLANK, LETTERS, Line, Sheet};

const BEGIN: &str = "<!-- answers\n";
const END: &str = "-->";

/// A wrong answer to a line of a sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misconception {
    /// The index of the line that it's given for.
    pub at: usize,
    /// The line that it describes.
    pub answer: Line,
    /// What it overlooks, in a sentence.
    pub overlooks: String,
}

/// Splits the list of wrong answers from the text behind a scene.
pub fn split_list(behind: &str) -> anyhow::Result<(&str, &str)> {
    match behind.trim_start().strip_prefix(BEGIN) {
        Some(list) => list.split_once(END).context("a list of answers without its end"),
        None => Ok(("", behind)),
    }
}

impl Sheet {
    /// Reads a list of wrong answers to this sheet.
    ///
    /// Fails if one can't be given, or is right.
    pub fn misconceptions(
        &self,
        list: &str,
        outcomes: &BTreeSet<String>,
    ) -> anyhow::Result<Vec<Misconception>> {
        let lines = list.lines().filter(|line| !line.trim().is_empty());
        let mut read: Vec<Misconception> = Vec::new();
        for line in lines {
            let next = self.misconception(line, outcomes).with_context(|| line.to_owned())?;
            let before = overlooked(&read, next.at, &next.answer.typed(), outcomes);
            ensure!(before.is_none(), "{line}: the list has this answer already");
            read.push(next);
        }
        Ok(read)
    }

    fn misconception(
        &self,
        entry: &str,
        outcomes: &BTreeSet<String>,
    ) -> anyhow::Result<Misconception> {
        let entry = entry.strip_prefix("- ").context("begin a wrong answer with `- `")?;
        // An answer can be `IN | HUP`.
        let (answer, overlooks) = entry.rsplit_once(" | ").context("say what it overlooks")?;
        let (number, answer) = answer.split_once(": ").context("begin with the line's number")?;
        let at = number.parse::<usize>()?.checked_sub(1).context("the first line is 1")?;
        let line = self.lines.get(at).context("the transcript has no such line")?;
        ensure!(line.is_asked(), "the line isn't asked for");
        let answer = self.as_given(line, answer)?;
        let typed = answer.typed();
        ensure!(!is_right(&typed, line, outcomes), "it's right");
        ensure!(is_right(&typed, &answer, outcomes), "it wouldn't be recognized");
        Ok(Misconception { at, answer, overlooks: overlooks.trim().to_owned() })
    }

    /// Returns the line that an answer describes: another line of the choices, or this one with
    /// other values.
    fn as_given(&self, line: &Line, answer: &str) -> anyhow::Result<Line> {
        if line.choice.is_some() {
            let found = self.choices.iter().enumerate().find_map(|(index, choice)| {
                let values = values_in(choice, answer)?;
                Some(Line { choice: Some(index), values, ..Line::default() })
            });
            let given = found.context("the choices have no such line")?;
            return Ok(Line { text: answer.to_owned(), asked: BLANK.to_owned(), ..given });
        }
        let values: Vec<&str> = match line.values.len() {
            1 => vec![answer],
            _ if answer.contains(" / ") => answer.split(" / ").collect(),
            _ => answer.split(", ").collect(),
        };
        ensure!(values.len() == line.values.len(), "the line has {} blanks", line.values.len());
        let mut text = String::new();
        for (index, piece) in line.asked.split(BLANK).enumerate() {
            text += if index > 0 { values[index - 1] } else { "" };
            text += piece;
        }
        let values = values.into_iter().map(str::to_owned).collect();
        Ok(Line { text, asked: line.asked.clone(), values, choice: None })
    }
}

impl Line {
    /// Returns what a reader types to say this line.
    pub fn typed(&self) -> String {
        let letter = self.choice.map_or("", |choice| &LETTERS[choice..=choice]);
        format!("{letter} {}", self.values.join(", "))
    }
}

/// Returns what a line has in the blanks of a choice. `None` if it's another line.
fn values_in(choice: &str, line: &str) -> Option<Vec<String>> {
    let mut pieces = choice.split(BLANK);
    let mut rest = line.strip_prefix(pieces.next()?)?;
    let mut values = Vec::new();
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let is_last = pieces.peek().is_none();
        let at = if is_last { rest.len().checked_sub(piece.len())? } else { rest.find(piece)? };
        let (value, after) = rest.split_at_checked(at)?;
        rest = after.strip_prefix(piece)?;
        values.push(value.trim().to_owned());
    }
    rest.is_empty().then_some(values)
}

/// Returns what a wrong answer to a line overlooks, if it's one that the chapter expects.
pub fn overlooked<'a>(
    misconceptions: &'a [Misconception],
    at: usize,
    typed: &str,
    outcomes: &BTreeSet<String>,
) -> Option<&'a str> {
    let mut of_line = misconceptions.iter().filter(|it| it.at == at);
    let found = of_line.find(|it| is_right(typed, &it.answer, outcomes))?;
    Some(&found.overlooks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(asked: &str, values: &[&str], choice: Option<usize>) -> Line {
        let values: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
        let text = values.iter().fold(asked.to_owned(), |text, it| text.replacen(BLANK, it, 1));
        Line { text, asked: asked.to_owned(), values, choice }
    }

    fn sheet() -> Sheet {
        let lines =
            vec![line("begin", &[], None), line("level: ____  edge: ____", &["on", "off"], None)];
        Sheet { lines, choices: Vec::new() }
    }

    fn read(sheet: &Sheet, list: &str) -> anyhow::Result<Vec<Misconception>> {
        sheet.misconceptions(list, &BTreeSet::new())
    }

    #[test]
    fn a_list_stands_right_behind_its_scene() {
        let (list, rest) =
            split_list("\n\n<!-- answers\n- 2: on, on | It's once.\n-->\n\nText").unwrap();
        assert_eq!((list, rest), ("- 2: on, on | It's once.\n", "\n\nText"));
        assert_eq!(split_list("\n\nText <!-- answers\n").unwrap(), ("", "\n\nText <!-- answers\n"));
        assert!(split_list("<!-- answers\n- 2: on").is_err());
    }

    #[test]
    fn an_expected_answer_says_what_it_overlooks_in_whatever_words_it_comes() {
        let sheet = sheet();
        let list = read(&sheet, "- 2: on, on | It's once.").unwrap();
        let of = |at, typed| overlooked(&list, at, typed, &BTreeSet::new());
        for typed in ["on, on", "ON on", "level: on edge: on"] {
            assert_eq!(of(1, typed), Some("It's once."), "{typed}");
        }
        assert_eq!([of(1, "off, off"), of(1, ""), of(0, "on, on")], [None; 3]);
    }

    #[test]
    fn where_a_line_is_chosen_the_answer_is_another_line() {
        let lines = vec![line("got 2", &["2"], Some(1)), line("A begins", &[], Some(0))];
        let sheet = Sheet { lines, choices: vec!["A begins".to_owned(), "got ____".to_owned()] };
        let list = read(&sheet, "- 1: A begins | Not yet.\n- 2: got 7 | It's late.\n").unwrap();
        let of = |at, typed| overlooked(&list, at, typed, &BTreeSet::new());
        assert_eq!(
            [of(0, "a"), of(1, "b 7"), of(1, "got 7")],
            [Some("Not yet."), Some("It's late."), Some("It's late.")]
        );
        assert_eq!([of(0, "b 2"), of(1, "b 8")], [None; 2]);
    }

    #[test]
    fn an_answer_that_cannot_be_given_or_is_right_is_an_error() {
        let said = |list: &str| read(&sheet(), list).unwrap_err().root_cause().to_string();
        assert_eq!(said("- 2: on, off | x"), "it's right");
        assert_eq!(said("- 2: on | x"), "the line has 2 blanks");
        assert_eq!(said("- 1: on | x"), "the line isn't asked for");
        assert_eq!(said("- 3: on | x"), "the transcript has no such line");
        assert_eq!(said("- 2: on, on"), "say what it overlooks");
        let twice = said("- 2: on, on | x\n- 2: ON, on | y");
        assert_eq!(twice, "- 2: ON, on | y: the list has this answer already");
        let chosen = Sheet { lines: vec![line("A", &[], Some(0))], choices: vec!["A".to_owned()] };
        let error = read(&chosen, "- 1: B | x").unwrap_err().root_cause().to_string();
        assert_eq!(error, "the choices have no such line");
    }
}
