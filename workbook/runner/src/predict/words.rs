//! The words of a sheet: what can fill the blanks that don't take a number.
//!
//! All of them offer the same words: those that the scene prints, those that its code would print
//! if it went otherwise, and those of the chapter's list. So the words at a blank don't tell which
//! of them is right. Only where a value is true or false, or yes or no, are there just these two.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::{normal, number};
use super::sheet::{Blank, Candidate, Form};

const PAIRS: [[&str; 2]; 2] = [["false", "true"], ["no", "yes"]];

/// The words of a sheet, and what its blanks take.
pub(super) struct Words {
    /// What can be chosen.
    pub(super) bank: Vec<Candidate>,
    /// The only word there is: there's nothing to choose where it stands.
    pub(super) only: Option<String>,
    /// What each blank takes, by the place of its line and its own.
    blanks: BTreeMap<(usize, usize), Blank>,
}

impl Words {
    /// Makes the words for lines with blanks. `given` has what was said in the blanks of a line,
    /// rightly and wrongly, by the line's place, and `more` has other words to offer.
    pub(super) fn new(code: &str, given: &[(usize, &[String])], more: &[String]) -> Words {
        let mut said: BTreeMap<(usize, usize), BTreeSet<&str>> = BTreeMap::new();
        for &(place, values) in given {
            for (blank, value) in values.iter().enumerate() {
                said.entry((place, blank)).or_default().insert(value);
            }
        }
        let takes: Vec<_> =
            said.iter().map(|(&at, said)| (at, said, Takes::of(said, more))).collect();
        let of_words = takes.iter().filter(|(.., takes)| *takes == Takes::Words);
        let mut words: BTreeSet<&str> =
            of_words.flat_map(|(_, said, _)| said.iter().copied()).collect();
        if !words.is_empty() {
            words.extend(outcomes(code));
            words.extend(more.iter().map(String::as_str));
        }
        let pairs = takes.iter().filter_map(|(.., takes)| match takes {
            Takes::Pair(pair) => Some(pair.iter().copied()),
            _ => None,
        });
        let texts = words.iter().copied().chain(pairs.flatten()).collect::<BTreeSet<&str>>();
        let bank = labelled(texts.into_iter().map(str::to_owned).collect());
        let indexes = |is_its: &dyn Fn(&str) -> bool| {
            let all = bank.iter().enumerate().filter(|(_, it)| is_its(&it.text));
            Blank(all.map(|(index, _)| index).collect())
        };
        let blanks = takes.iter().map(|(at, _, takes)| match takes {
            Takes::Number => (*at, Blank::default()),
            Takes::Pair(pair) => (*at, indexes(&|text| pair.contains(&text))),
            Takes::Words => (*at, indexes(&|text| words.contains(text))),
        });
        let blanks = blanks.collect();
        let only = words.first().filter(|_| words.len() == 1).map(|&word| word.to_owned());
        Words { bank, only, blanks }
    }

    /// Returns a line with what its blanks take.
    pub(super) fn form(&self, place: usize, line: &str) -> Form {
        let blanks = self.blanks.range((place, 0)..(place + 1, 0));
        let blanks = blanks.map(|(_, blank)| blank.clone()).collect();
        Form { label: String::new(), asked: line.to_owned(), blanks }
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
            Some(pair) => Takes::Pair(*pair),
            None if said.iter().all(is_number) => Takes::Number,
            None => Takes::Words,
        }
    }
}

/// Lists the texts in the code that aren't passed on as they are, to `say!` for example: other
/// words that the scene could have said.
fn outcomes(code: &str) -> Vec<&str> {
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
    texts.filter(is_word).collect()
}

/// Sorts texts by what doesn't depend on which is right and gives each a label that's none of the
/// texts, and no number either.
pub(super) fn labelled(mut texts: Vec<String>) -> Vec<Candidate> {
    texts.sort_by_cached_key(|text| normal(text));
    let taken: BTreeSet<String> = texts.iter().map(|text| normal(text)).collect();
    let labels = (0..).map(letters);
    let labels = labels.filter(|label| !taken.contains(label) && number(label).is_none());
    labels.zip(texts).map(|(label, text)| Candidate { label, text }).collect()
}

/// Returns the letters for an index: a to z, then aa, ab and so on.
fn letters(index: usize) -> String {
    let last = char::from(b'a' + u8::try_from(index % 26).unwrap_or_default());
    let before = if index < 26 { String::new() } else { letters(index / 26 - 1) };
    format!("{before}{last}")
}
