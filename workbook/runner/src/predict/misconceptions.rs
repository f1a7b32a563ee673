//! The wrong answers that a chapter expects, and additional words to choose from. Each wrong answer
//! comes with the fact that the answer overlooks.
//!
//! The chapter lists the wrong answers in a comment after the scene, so the book never shows them.
//! A reader who gives one of these answers sees the fact that the answer overlooks:
//!
//! ```text
//! {{#scene step02_epoll level_or_edge watch}}
//!
//! <!-- answers
//! - 3: readable, readable | An edge-triggered epoll reports an arrival once.
//! + HUP
//! -->
//! ```
//!
//! The number identifies a line of the transcript. Several values are separated by commas, or by
//! ` / ` if a value itself contains a comma. If the scene asks for whole lines, the answer is a
//! line. The text after a `+` is an additional word to choose from. If the scene asks for the order
//! of the lines, the text after a `>` is an additional line, without blanks.

use anyhow::{Context, ensure};

use super::answer::values_in;
use super::sheet::{BLANK, Printed};

/// A wrong answer to a line of a sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misconception {
    /// The index of the line that the reader was asked for.
    pub at: usize,
    /// The line that the answer produces, with single spaces.
    pub line: String,
    /// A sentence about the fact that the answer overlooks.
    pub overlooks: String,
}

/// A chapter's list of wrong answers.
pub(super) struct WrongAnswers<'a> {
    entries: Vec<Entry<'a>>,
    /// Additional words to choose from.
    pub(super) more: Vec<String>,
    /// Additional lines to choose from, if the scene asks for the order of the lines.
    pub(super) lines: Vec<String>,
}

struct Entry<'a> {
    text: &'a str,
    at: usize,
    answer: &'a str,
    overlooks: &'a str,
}

/// A wrong answer, parsed into the values for the blanks of a line.
pub(super) struct Given<'a> {
    pub(super) entry: &'a str,
    pub(super) at: usize,
    pub(super) place: usize,
    pub(super) values: Vec<String>,
    pub(super) overlooks: &'a str,
}

impl<'a> WrongAnswers<'a> {
    /// Parses a list. Fails if one of its lines doesn't have the right form.
    pub(super) fn read(list: &'a str) -> anyhow::Result<Self> {
        let (mut entries, mut more, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        for line in list.lines().filter(|line| !line.trim().is_empty()) {
            match (line.strip_prefix("+ "), line.strip_prefix("> ")) {
                (Some(word), _) => more.push(word.trim().to_owned()),
                (_, Some(more)) => {
                    ensure!(!more.contains(BLANK), "{line}: a further line has no blanks");
                    lines.push(more.trim().to_owned());
                }
                _ => entries.push(Entry::read(line).with_context(|| line.to_owned())?),
            }
        }
        Ok(WrongAnswers { entries, more, lines })
    }

    /// Determines how each answer fills in the lines with blanks.
    ///
    /// Fails if a reader can't give one of the answers.
    pub(super) fn given(
        &self,
        printed: &[Printed],
        asks_for_order: bool,
        lines: &[String],
    ) -> anyhow::Result<Vec<Given<'a>>> {
        let given = self.entries.iter().map(|entry| {
            let line = printed.get(entry.at).context("the transcript has no such line")?;
            let (place, values) = if asks_for_order {
                let all = lines.iter().enumerate();
                let found = all.filter_map(|(at, line)| Some((at, values_in(line, entry.answer)?)));
                // Choose the line with the most text outside its blanks.
                let found = found.max_by_key(|&(at, _)| lines[at].replace(BLANK, "").len());
                found.context("the choices have no such line")?
            } else {
                (entry.at, values_for(line, entry.answer)?)
            };
            let &Entry { text: entry, at, overlooks, .. } = entry;
            Ok(Given { entry, at, place, values, overlooks })
        });
        let with_entries = self.entries.iter().zip(given);
        with_entries
            .map(|(entry, given): (_, anyhow::Result<_>)| given.context(entry.text.to_owned()))
            .collect()
    }
}

impl<'a> Entry<'a> {
    fn read(text: &'a str) -> anyhow::Result<Self> {
        let entry = text.strip_prefix("- ").context("begin a wrong answer with `- `")?;
        // The answer itself can contain the separator, as in `IN | HUP`.
        let (answer, overlooks) =
            entry.rsplit_once(" | ").context("say what the answer overlooks")?;
        let (number, answer) = answer.split_once(": ").context("begin with the line's number")?;
        let at = number.parse::<usize>()?.checked_sub(1).context("the first line has number 1")?;
        Ok(Entry { text, at, answer, overlooks: overlooks.trim() })
    }
}

/// Splits an answer into a value for each blank of the line.
fn values_for(line: &Printed, answer: &str) -> anyhow::Result<Vec<String>> {
    let values: Vec<&str> = match line.values.len() {
        1 => vec![answer],
        _ if answer.contains(" / ") => answer.split(" / ").collect(),
        _ => answer.split(", ").collect(),
    };
    let blanks = line.values.len();
    ensure!(blanks > 0, "the line has no blanks");
    ensure!(values.len() == blanks, "the line has {blanks} blanks");
    Ok(values.into_iter().map(str::to_owned).collect())
}
