//! What a student is called, and what the code looks like that lets students in.

use std::fmt::Write;

use rustix::rand::{GetRandomFlags, getrandom};

/// The longest name, in characters.
const LONGEST: usize = 40;

/// The letters of a code: none that look alike, and no vowels, so that no code is a word.
const LETTERS: &[u8; 19] = b"bcdfghjkmnpqrstvwxz";

/// How those letters are spelled on the phone.
const SPELLED: [&str; 19] = [
    "Bravo", "Charlie", "Delta", "Foxtrot", "Golf", "Hotel", "Juliett", "Kilo", "Mike", "November",
    "Papa", "Quebec", "Romeo", "Sierra", "Tango", "Victor", "Whiskey", "X-ray", "Zulu",
];

/// What looks like a letter or a digit of another kind, in small letters, and that letter.
const ALIKE: [(&str, char); 17] = [
    ("0оοօ", 'o'),
    ("1iіιӏ", 'l'),
    ("аα", 'a'),
    ("е", 'e'),
    ("с", 'c'),
    ("рρ", 'p'),
    ("хχ", 'x'),
    ("уγ", 'y'),
    ("ѕ", 's'),
    ("ј", 'j'),
    ("ԁ", 'd'),
    ("вβ", 'b'),
    ("нη", 'n'),
    ("кκ", 'k'),
    ("мμ", 'm'),
    ("тτ", 't'),
    ("ν", 'v'),
];

/// Letters that print as nothing.
const INVISIBLE: [char; 4] = ['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}'];

/// Returns a name without spaces around it and with one space between its words. `None` if it can't be one:
/// only letters, digits, spaces and `-`, `.`, `'` can be in a name, and at least one letter or digit.
pub(crate) fn cleaned(name: &str) -> Option<String> {
    let name = name.replace('’', "'");
    let words: Vec<&str> = name.split(' ').filter(|word| !word.is_empty()).collect();
    let name = words.join(" ");
    let is_of_words = |char: char| char.is_alphanumeric() && !INVISIBLE.contains(&char);
    let is_allowed = |char: char| is_of_words(char) || " -.'".contains(char);
    let is_name = name.chars().all(is_allowed)
        && name.chars().any(is_of_words)
        && name.chars().count() <= LONGEST;
    is_name.then_some(name)
}

/// Returns what two names share that are too much alike for one class.
pub(crate) fn likeness(name: &str) -> String {
    let letters = name.chars().flat_map(char::to_lowercase).filter(|char| char.is_alphanumeric());
    let alike = |char: char| ALIKE.iter().find(|(others, _)| others.contains(char));
    letters.map(|char| alike(char).map_or(char, |(_, letter)| *letter)).collect()
}

/// Makes a code of this many groups of four letters: `bcdf-ghjk`.
pub(crate) fn new_code(groups: usize) -> std::io::Result<String> {
    let mut code = String::new();
    let mut count = 0;
    while count < groups * 4 {
        let mut byte = [0];
        getrandom(&mut byte[..], GetRandomFlags::empty())?;
        // As many bytes stand for each letter; the last few stand for none.
        let Some(&letter) = LETTERS.get(usize::from(byte[0] / 13)) else { continue };
        if count > 0 && count % 4 == 0 {
            code.push('-');
        }
        code.push(char::from(letter));
        count += 1;
    }
    Ok(code)
}

/// Returns true if someone has typed this code, in whatever way.
pub(crate) fn is_code(typed: &str, code: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars().filter(char::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase()).collect()
    };
    letters(typed) == letters(code)
}

/// Spells a code: "Bravo Charlie …".
pub(crate) fn spelled(code: &str) -> String {
    let mut words = String::new();
    for (at, group) in code.split('-').enumerate() {
        words += if at > 0 { "," } else { "" };
        for letter in group.bytes() {
            let place = LETTERS.iter().position(|it| *it == letter);
            // Writing to a String never fails.
            let _ = write!(words, " {}", place.map_or("?", |place| SPELLED[place]));
        }
    }
    words.trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_letters_and_few_signs_and_isn_t_long() {
        assert_eq!(cleaned("  Ann   Lee ").as_deref(), Some("Ann Lee"));
        for name in ["Zoë", "O'Neil", "O’Neil", "J.-P.", "李", "Анна", "7", "x".repeat(40).as_str()]
        {
            assert!(cleaned(name).is_some(), "{name}");
        }
        for name in [
            "",
            " ",
            ".",
            "<b>",
            "a\nb",
            "a\u{202e}b",
            "a\u{200b}b",
            "a\u{0}",
            "\u{3164}",
            "a|b",
            "@ann",
            "x".repeat(41).as_str(),
        ] {
            assert_eq!(cleaned(name), None, "{name:?}");
        }
    }

    #[test]
    fn names_that_look_alike_are_one() {
        for other in ["ann lee", "AnnLee", "Ann-Lee.", "Аnn Lее", "ANN  LEE"] {
            assert_eq!(likeness(other), likeness("Ann Lee"), "{other}");
        }
        assert_eq!(likeness("Bob"), likeness("B0b"));
        assert_eq!(likeness("Ian"), likeness("lan"));
        assert_ne!(likeness("Ann"), likeness("Anna"));
        assert_ne!(likeness("Zoë"), likeness("Zoe"));
    }

    #[test]
    fn a_code_can_be_read_out_and_typed_in_any_way() {
        let code = new_code(2).expect("random bytes");
        assert!(code.len() == 9 && code.as_bytes()[4] == b'-', "{code}");
        assert_ne!(code, new_code(2).expect("random bytes"));
        assert!(is_code(&format!(" {} ", code.to_uppercase().replace('-', " ")), &code));
        assert!(!is_code(&code[..8], &code) && !is_code("", &code));
        assert_eq!(spelled("bcdf-ghjk"), "Bravo Charlie Delta Foxtrot, Golf Hotel Juliett Kilo");
    }
}
