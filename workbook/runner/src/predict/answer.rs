//! Compares what a reader typed with a line. Spaces, upper and lower case, and most signs don't
//! count: `bytes 24` is as good as `Bytes(24)`. Nor does it matter which of its names a thing gets:
//! `synonyms.rs` has those.

use std::collections::BTreeSet;

use super::sheet::{LETTERS, Line};
use super::synonyms::{inside, mean};
use super::words::words;

/// Returns true if the reader's words say what the line says: its values, the whole line, or the
/// letter of the line with its values.
pub fn is_right(typed: &str, line: &Line, outcomes: &BTreeSet<String>) -> bool {
    let typed = words(typed);
    let Some((letter, after)) = typed.split_first() else { return false };
    if mean(&typed, &line.text, outcomes) {
        return true;
    }
    match line.choice {
        Some(choice) => {
            let is_chosen = LETTERS.get(choice..=choice) == Some(letter);
            is_chosen && say(after, &line.values, outcomes)
        }
        None => {
            say(&typed, &line.values, outcomes) || is_the_beginning(&typed, &line.values, outcomes)
        }
    }
}

/// Returns true if the words say one value after the other.
fn say(typed: &[String], values: &[String], outcomes: &BTreeSet<String>) -> bool {
    let Some((value, others)) = values.split_first() else { return typed.is_empty() };
    // Another name for it can be longer, but not by more than that.
    let most = typed.len().min(words(value).len() + 8);
    let is_value = |typed: &[String]| {
        let mut ways = [Some(value.as_str()), inside(value)].into_iter().flatten();
        ways.any(|value| mean(typed, value, outcomes))
    };
    (0..=most).any(|count| is_value(&typed[..count]) && say(&typed[count..], others, outcomes))
}

/// Returns true if the typed words begin the only value and can't be meant for anything else. What
/// is left out mustn't be a part of the prediction: a number, another flag, or what comes after a
/// comma.
fn is_the_beginning(typed: &[String], values: &[String], outcomes: &BTreeSet<String>) -> bool {
    let [value] = values else { return false };
    if [",", "|", "+", "  "].iter().any(|sign| value.contains(sign)) {
        return false;
    }
    let values = words(value);
    let Some(rest) = values.strip_prefix(typed) else { return false };
    let has_number = |word: &String| word.chars().any(|char| char.is_ascii_digit());
    let mut others = outcomes.iter().map(|outcome| words(outcome));
    !rest.iter().any(has_number) && !others.any(|other| other != values && other.starts_with(typed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, values: &[&str], choice: Option<usize>) -> Line {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        Line { text: text.to_owned(), asked: String::new(), values, choice }
    }

    fn right(typed: &str, line: &Line) -> bool {
        let outcomes = ["readable", "more than once", "more than twice"];
        is_right(typed, line, &outcomes.iter().map(|&it| it.to_owned()).collect())
    }

    #[test]
    fn spaces_case_and_signs_do_not_count_but_words_and_numbers_do() {
        let it = line("it reads: Bytes(24)", &["Bytes(24)"], None);
        for typed in ["Bytes(24)", " bytes 24 ", "BYTES ( 24 )", "it reads: bytes(24)"] {
            assert!(right(typed, &it), "{typed}");
        }
        for typed in ["", "24", "bytes", "bytes 2 4", "bytes 25", "bytes(24) more"] {
            assert!(!right(typed, &it), "{typed}");
        }
        assert!(right("1,000", &line("", &["1000"], None)));
        assert!(right("Ann\\nBo", &line("", &["b'Ann\\nBo'"], None)));
        assert!(right("10 s", &line("", &["10s"], None)));
        assert!(right("0x107", &line("", &["0x00000107"], None)));
        assert!(!right("0x17", &line("", &["0x00000107"], None)));
        assert!(!right("1", &line("", &["-1"], None)));
        assert!(!right("15", &line("", &["1.5"], None)));
    }

    #[test]
    fn several_values_are_typed_in_their_order() {
        let it = line("level: readable  edge: nothing", &["readable", "nothing"], None);
        assert!(right("readable, nothing", &it));
        assert!(right("readable nothing", &it));
        assert!(!right("nothing, readable", &it));
        assert!(right("a", &line("A begins", &[], Some(0))));
        assert!(right("b 2", &line("got 2", &["2"], Some(1))));
        assert!(!right("b 3", &line("got 2", &["2"], Some(1))));
        assert!(!right("a 2", &line("got 2", &["2"], Some(1))));
        assert!(right("b yes 1 byte", &line("", &["true", "Bytes(1)"], Some(1))));
        assert!(!right("b yes", &line("", &["true", "Bytes(1)"], Some(1))));
        let trace = line("", &["2", "500ms", "timeout 0ns", "[]", "b''"], None);
        assert!(right("2, 0.5 s, timeout 0, [], b''", &trace));
        assert!(!right("2, 0.5 s, timeout 0, []", &trace));
    }

    #[test]
    fn the_beginning_of_a_value_will_do_if_it_is_no_other_one_s() {
        assert!(right("not", &line("", &["not readable"], None)));
        assert!(right("more than twice", &line("", &["more than twice"], None)));
        assert!(!right("more than", &line("", &["more than twice"], None)));
        assert!(!right("IN", &line("", &["IN | HUP"], None)));
        assert!(!right("READABLE", &line("", &["READABLE, read closed"], None)));
        assert!(!right("IN", &line("", &["IN                  readable"], None)));
        assert!(!right("asleep", &line("", &["asleep", "true"], None)));
    }
}
