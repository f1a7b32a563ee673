//! The words of a sheet: what can stand in the blanks that don't take a number.
//!
//! All of them offer the same words: those that the scene prints, those that its code would print
//! if it went otherwise, and those of the chapter's list. So the words at a blank don't tell which
//! of them is right. Only where a value is true or false, or yes or no, are there just these two.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::{normal, number};
use super::sheet::{BLANK, Blank, Candidate, Form};

const PAIRS: [[&str; 2]; 2] = [["false", "true"], ["no", "yes"]];

/// The words of a sheet, and which of its blanks take them.
pub(super) struct Words {
    pub(super) bank: Vec<Candidate>,
    /// What each blank takes, by its line's place and its own.
    blanks: BTreeMap<(usize, usize), Blank>,
    /// The only word there is: where it stands, it's given.
    only: Option<String>,
}

impl Words {
    /// Makes the words for some lines with blanks. `given` has what was said in a line's blanks,
    /// rightly and wrongly, by the line's place.
    pub(super) fn new<'a>(
        code: &str,
        lines: &[String],
        given: impl Iterator<Item = (usize, &'a [String])>,
        more: &[String],
    ) -> Words {
        let mut said: BTreeMap<(usize, usize), BTreeSet<&str>> = BTreeMap::new();
        for (place, line) in lines.iter().enumerate() {
            let blanks = 0..line.matches(BLANK).count();
            said.extend(blanks.map(|blank| ((place, blank), BTreeSet::new())));
        }
        for (place, values) in given {
            for (blank, value) in values.iter().enumerate() {
                said.entry((place, blank)).or_default().insert(value);
            }
        }
        let takes: BTreeMap<_, Takes> =
            said.iter().map(|(&at, it)| (at, Takes::of(it, more))).collect();
        let of_words = said.iter().filter(|(at, _)| takes[at] == Takes::Words);
        let mut words: BTreeSet<String> =
            of_words.flat_map(|(_, values)| values).map(|&value| value.to_owned()).collect();
        if takes.values().any(|it| *it == Takes::Words) {
            words.extend(outcomes(code));
            words.extend(more.iter().cloned());
        }
        let only = words.first().filter(|_| words.len() == 1).cloned();
        let used =
            |pair: &[&str; 2]| takes.values().any(|it| matches!(it, Takes::Pair(it) if it == pair));
        let pairs = PAIRS.iter().filter(|pair| used(pair)).flatten();
        let mut texts: BTreeSet<String> = pairs.map(|&it| it.to_owned()).collect();
        if only.is_none() {
            texts.extend(words.iter().cloned());
        }
        let bank = labelled(sorted(texts));
        let indexes = |is_its: &dyn Fn(&str) -> bool| {
            let all = bank.iter().enumerate().filter(|(_, it)| is_its(&it.text));
            Blank(all.map(|(index, _)| index).collect())
        };
        let blanks = takes.iter().filter_map(|(&at, takes)| match takes {
            Takes::Number => Some((at, Blank::default())),
            Takes::Pair(pair) => Some((at, indexes(&|text| pair.contains(&text)))),
            Takes::Words if only.is_some() => None,
            Takes::Words => Some((at, indexes(&|text| words.contains(text)))),
        });
        Words { blanks: blanks.collect(), bank, only }
    }

    /// Returns a line with the blanks that are asked for.
    pub(super) fn form(&self, place: usize, line: &str) -> Form {
        let mut form = Form::default();
        for (index, piece) in line.split(BLANK).enumerate() {
            let blank = index.checked_sub(1).map(|index| self.blanks.get(&(place, index)));
            match blank {
                None => {}
                Some(Some(blank)) => {
                    form.asked += BLANK;
                    form.blanks.push(blank.clone());
                }
                Some(None) => form.asked.extend(self.only.as_deref()),
            }
            form.asked += piece;
        }
        form
    }
}

/// What a blank takes.
#[derive(PartialEq, Eq)]
enum Takes {
    Number,
    Pair([&'static str; 2]),
    Words,
}

impl Takes {
    /// A number of which the chapter says that it's one of the words is chosen like any of them.
    fn of(said: &BTreeSet<&str>, more: &[String]) -> Takes {
        let is_number = |value: &&str| {
            number(value).as_deref() == Some(*value) && !more.iter().any(|word| word == *value)
        };
        let pair = PAIRS.iter().find(|pair| said.iter().all(|value| pair.contains(value)));
        match pair {
            _ if said.is_empty() => Takes::Words,
            Some(pair) => Takes::Pair(*pair),
            None if said.iter().all(is_number) => Takes::Number,
            None => Takes::Words,
        }
    }
}

/// Lists the texts in the code that aren't passed on as they are, to `say!` for example: other
/// words that the scene could have said.
fn outcomes(code: &str) -> impl Iterator<Item = String> {
    let pieces: Vec<&str> = code.split('"').collect();
    let is_passed_on = |before: &str| {
        let or_else = before.ends_with("unwrap_or(") || before.ends_with("map_or(");
        let is_bytes = before.ends_with('b');
        is_bytes || (before.trim_end().ends_with(['(', ',', '[', '&']) && !or_else)
    };
    let texts = pieces.chunks_exact(2).filter(|pair| !is_passed_on(pair[0])).map(|pair| pair[1]);
    let is_word = |text: &&str| {
        !text.trim().is_empty()
            && !text.contains(['{', '\\'])
            && number(text).is_none()
            && !PAIRS.iter().flatten().any(|word| word == text)
    };
    let words: Vec<String> = texts.filter(is_word).map(str::to_owned).collect();
    words.into_iter()
}

/// Sorts texts by what doesn't depend on which is right.
fn sorted(texts: BTreeSet<String>) -> Vec<String> {
    let mut texts: Vec<String> = texts.into_iter().collect();
    texts.sort_by_cached_key(|text| normal(text));
    texts
}

/// Gives each text a label that's none of the texts, and no number either.
pub(super) fn labelled(texts: Vec<String>) -> Vec<Candidate> {
    let taken: BTreeSet<String> = texts.iter().map(|text| normal(text)).collect();
    let mut labels =
        (0..).map(letters).filter(|label| !taken.contains(label) && number(label).is_none());
    let labels: Vec<String> = labels.by_ref().take(texts.len()).collect();
    labels.into_iter().zip(texts).map(|(label, text)| Candidate { label, text }).collect()
}

/// Returns the letters for an index: a to z, then aa, ab and so on.
fn letters(index: usize) -> String {
    let last = char::from(b'a' + u8::try_from(index % 26).unwrap_or_default());
    let before = if index < 26 { String::new() } else { letters(index / 26 - 1) };
    format!("{before}{last}")
}
