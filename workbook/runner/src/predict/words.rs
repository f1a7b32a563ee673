//! The words of a sheet, for the blanks that don't take a number.
//!
//! All blanks offer the same words: the words that the scene prints, the words that its code would
//! print if the outcome were different, and the words from the chapter's list. So the words at a
//! blank don't reveal which word is right. Only a blank for true or false, or for yes or no, offers
//! just those two words.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::{normal, number};
use super::sheet::{Blank, Candidate, Form};

const PAIRS: [[&str; 2]; 2] = [["false", "true"], ["no", "yes"]];

/// The words of a sheet and the possible contents of its blanks.
pub(super) struct Words {
    /// The words to choose from.
    pub(super) bank: Vec<Candidate>,
    /// The only word to choose from, if there's just one word. We fill in the blanks for this word,
    /// because they leave the reader no choice.
    pub(super) only: Option<String>,
    /// The possible contents of each blank. A key consists of the line's index and the blank's
    /// index in that line.
    blanks: BTreeMap<(usize, usize), Blank>,
}

impl Words {
    /// Collects the words for lines with blanks. `given` contains right and wrong values for a
    /// line's blanks, with the line's index, and `more` contains additional words to offer.
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

    /// Returns a line with the possible contents of its blanks.
    pub(super) fn form(&self, place: usize, line: &str) -> Form {
        let blanks = self.blanks.range((place, 0)..(place + 1, 0));
        let blanks = blanks.map(|(_, blank)| blank.clone()).collect();
        Form { label: String::new(), asked: line.to_owned(), blanks }
    }
}

/// The possible contents of a blank.
#[derive(PartialEq, Eq)]
enum Takes {
    Number,
    Pair([&'static str; 2]),
    Words,
}

impl Takes {
    /// Determines the possible contents. If the chapter lists a number as a word, the reader
    /// chooses that number from the words.
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

/// Lists the strings in the code that the scene could have printed if the outcome were different.
/// Leaves out strings that are passed on unchanged, for example to `say!`.
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

/// Sorts strings in an order that doesn't depend on which string is right. Gives each string a
/// label that's neither a number nor one of the strings.
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
