//! Students' names and the format of the code that lets students in.

use std::fmt::Write;

use rustix::rand::{GetRandomFlags, getrandom};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::general_security_profile::IdentifierType;
use unicode_security::{
    GeneralSecurityProfile, MixedScript, RestrictionLevel, RestrictionLevelDetection, skeleton,
};

/// The maximum length of a name, in characters.
const LONGEST: usize = 40;

/// The letters in a code. No two of them look alike, and there are no vowels, so that no code is a
/// word.
const LETTERS: &[u8; 19] = b"bcdfghjkmnpqrstvwxz";

/// The words for spelling these letters over the phone.
const SPELLED: [&str; 19] = [
    "Bravo", "Charlie", "Delta", "Foxtrot", "Golf", "Hotel", "Juliett", "Kilo", "Mike", "November",
    "Papa", "Quebec", "Romeo", "Sierra", "Tango", "Victor", "Whiskey", "X-ray", "Zulu",
];

/// The characters that a name may contain in addition to letters and digits. Comparisons ignore
/// these characters.
const SIGNS: [char; 4] = [' ', '-', '.', '\''];

/// Small capitals and the plain letter for each. Unicode's table of confusable characters
/// distinguishes small capitals from full-size ones.
const SMALL_CAPITALS: (&str, &str) = ("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnopqrstuvwyz");

/// The maximum number of marks on a letter and of accents among these marks. Some scripts need
/// several marks per letter; few letters need an accent as a mark, since most accented letters are
/// single characters.
const MARKS: usize = 5;
const ACCENTS: usize = 2;

/// Returns a name without spaces around it and with one space between its words. Returns `None` if
/// the text can't be a name. A name consists of letters and digits that some living language uses,
/// marks on these letters, spaces, `-`, `.` and `'`. It contains at least one letter or digit. Each
/// of its words is in one script, or in Latin letters combined with Chinese, Japanese or Korean
/// letters.
///
/// A letter that's only a variant of another letter, such as a full-width letter, becomes that
/// other letter.
pub(crate) fn cleaned(name: &str) -> Option<String> {
    let name: String = name.nfkc().map(|char| if char == '’' { '\'' } else { char }).collect();
    let words: Vec<&str> = name.split(' ').filter(|word| !word.is_empty()).collect();
    let name = words.join(" ");
    let is_allowed = |char| SIGNS.contains(&char) || is_of_words(char) || is_mark(char);
    let is_name = name.chars().all(is_allowed)
        && name.chars().any(is_of_words)
        && name.chars().count() <= LONGEST
        && name.split(SIGNS).all(is_word);
    is_name.then_some(name)
}

/// Returns true for a letter or a digit that a living language uses. Other letters, such as
/// phonetic, mathematical or historical letters, often look like everyday letters.
fn is_of_words(char: char) -> bool {
    use IdentifierType::{Inclusion, Limited_Use, Recommended, Uncommon_Use};
    let is_in_use = matches!(
        char.identifier_type(),
        Some(Recommended | Inclusion | Uncommon_Use | Limited_Use)
    );
    char.is_alphanumeric() && !is_combining_mark(char) && is_in_use
}

/// Returns true for a vowel sign, an accent, or another mark that's written on a letter.
fn is_mark(char: char) -> bool {
    use IdentifierType::{Inclusion, Limited_Use, Recommended};
    let kind = char.identifier_type();
    is_combining_mark(char) && matches!(kind, Some(Recommended | Inclusion | Limited_Use))
}

/// Returns true if a word is in one script, or in Latin letters combined with Chinese, Japanese or
/// Korean letters. Each mark has to follow a letter, a digit or a different mark, and no letter may
/// have too many marks.
fn is_word(word: &str) -> bool {
    let is_accent = |char| ('\u{300}'..='\u{36f}').contains(&char);
    let (mut marks, mut accents) = (0, 0);
    let mut before = None;
    for char in word.chars() {
        let is_mark = is_mark(char);
        marks = if is_mark { marks + 1 } else { 0 };
        accents = if is_mark { accents + usize::from(is_accent(char)) } else { 0 };
        if marks > MARKS
            || accents > ACCENTS
            || is_mark && (before.is_none() || before == Some(char))
        {
            return false;
        }
        before = Some(char);
    }
    word.is_single_script() || word.check_restriction_level(RestrictionLevel::HighlyRestrictive)
}

/// The three forms in which people see a name: as the name is written, in lower case, and in upper
/// case. In each form, all letters that look alike are replaced with the same letter. Two names
/// that share one of these forms are too similar for one class.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Likeness([String; 3]);

impl Likeness {
    pub(crate) fn of(name: &str) -> Self {
        let letters: String = name.nfkc().filter(|char| !SIGNS.contains(char)).collect();
        Likeness([seen(&letters), seen(&letters.to_lowercase()), seen(&letters.to_uppercase())])
    }

    /// Returns true if one name could be mistaken for the other.
    pub(crate) fn is_like(&self, other: &Likeness) -> bool {
        self.0.iter().any(|look| other.0.contains(look))
    }
}

/// Returns a string in which all letters that look alike are replaced with the same letter:
/// Unicode's skeleton, in lower case.
fn seen(letters: &str) -> String {
    let (small_capitals, plain) = SMALL_CAPITALS;
    let plain_of = |char| {
        let place = small_capitals.chars().position(|it| it == char);
        place.and_then(|place| plain.chars().nth(place)).unwrap_or(char)
    };
    let small = |letters: &str| -> String {
        let skeleton: String = skeleton(letters).filter(|char| !SIGNS.contains(char)).collect();
        skeleton.to_lowercase().chars().map(plain_of).collect()
    };
    // A capital letter's skeleton is a capital letter, and the corresponding small letter may in
    // turn look like other letters, as m looks like rn.
    small(&small(letters))
}

/// Creates a code with this many groups of four letters, such as `bcdf-ghjk`.
pub(crate) fn new_code(groups: usize) -> std::io::Result<String> {
    let mut code = String::new();
    let mut count = 0;
    while count < groups * 4 {
        let mut byte = [0];
        getrandom(&mut byte[..], GetRandomFlags::empty())?;
        // Each letter corresponds to the same number of byte values. The last few byte values have
        // no letter.
        let Some(&letter) = LETTERS.get(usize::from(byte[0] / 13)) else { continue };
        if count > 0 && count % 4 == 0 {
            code.push('-');
        }
        code.push(char::from(letter));
        count += 1;
    }
    Ok(code)
}

/// Returns true if the typed text is this code, regardless of case and separators.
pub(crate) fn is_code(typed: &str, code: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars().filter(char::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase()).collect()
    };
    letters(typed) == letters(code)
}

/// Returns the spelling of a code: "Bravo Charlie …".
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
        for name in ["Zoë", "O'Neil", "O’Neil", "J.-P.", "7", "x".repeat(40).as_str()] {
            assert!(cleaned(name).is_some(), "{name}");
        }
        let odd = [
            "",
            " ",
            ".",
            "<b>",
            "a\nb",
            "a\u{202e}b",
            "a\u{2066}b",
            "a\u{200b}b",
            "a\u{200d}b",
            "a\u{0}",
            "a\u{ad}b",
            "a\u{34f}b",
            "a\u{fe0f}b",
            "a\u{e0061}b",
            "\u{3164}",
            "\u{115f}",
            "\u{ffa0}",
            "\u{e000}",
            "\u{2028}",
            "a|b",
            "@ann",
            "🅰nn",
            "x\u{301}\u{302}\u{303}",
            "\u{301}x",
            "x".repeat(41).as_str(),
        ]
        .map(str::to_owned);
        for name in odd {
            assert_eq!(cleaned(&name), None, "{name:?}");
        }
    }

    #[test]
    fn a_name_can_be_in_any_script_that_is_in_use() {
        let names = [
            "李",
            "李小龙",
            "𠮷田",
            "たなか ゆうき",
            "タナカ",
            "田中・",
            "김민준",
            "Анна Каренина",
            "Ελένη",
            "Νίκος",
            "محمد",
            "נועה",
            "Արամ",
            "ნინო",
            "प्रिया",
            "ประยุทธ์",
            "அருண்",
            "ᏣᎳᎩ",
            "ᐃᓄᒃ",
            "Þórður",
            "Nguyễn",
            "Ţuţea",
            "İsmail",
            "Əli",
            "Zoe\u{308}",
            "Bob李",
            "Анна Smith",
            "ᎠᏂ",
        ];
        for name in names.into_iter().filter(|name| !name.ends_with('・')) {
            assert!(cleaned(name).is_some(), "{name}");
        }
        assert_eq!(cleaned("Ａｎｎ　Ｌｅｅ").as_deref(), Some("Ann Lee"));
        assert_eq!(cleaned("Zoe\u{308}").as_deref(), Some("Zoë"));
        assert_eq!(cleaned("Аnn"), None, "a Cyrillic letter among Latin ones");
    }

    fn are_alike(one: &str, other: &str) -> bool {
        Likeness::of(one).is_like(&Likeness::of(other))
    }

    /// Fails if both names could be in one class.
    fn check_is_kept_out(other: &str, name: &str) {
        let gets_in = cleaned(other).is_some_and(|other| !are_alike(&other, name));
        assert!(!gets_in, "{other} ({}) beside {name}", other.escape_unicode());
    }

    #[test]
    fn names_that_look_alike_are_one() {
        for other in ["ann lee", "AnnLee", "Ann-Lee.", "Аnn Lее", "ANN  LEE"] {
            assert!(are_alike(other, "Ann Lee"), "{other}");
        }
        assert!(are_alike("Bob", "B0b") && are_alike("Ian", "lan") && are_alike("Ian", "1an"));
        assert!(are_alike("ian", "lan") && are_alike("Modern", "Modem"));
        assert!(!are_alike("Ann", "Anna") && !are_alike("Ann", "Анна"));
        assert!(!are_alike("Zoë", "Zoe"));
        let names = (0..300).map(|number| Likeness::of(&format!("Student {number}")));
        let names: Vec<Likeness> = names.collect();
        for (at, one) in names.iter().enumerate() {
            assert!(names[..at].iter().all(|other| !one.is_like(other)), "Student {at}");
        }
    }

    #[test]
    fn no_other_script_and_no_other_kind_of_letter_lets_a_name_in_that_is_taken() {
        let others = [
            "Ａｎｎ",
            "ａｎｎ",
            "𝐀𝐧𝐧",
            "𝒜𝓃𝓃",
            "𝔸𝕟𝕟",
            "𝙰𝚗𝚗",
            "𝖠𝗇𝗇",
            "𝔄𝔫𝔫",
            "Ⓐⓝⓝ",
            "ᴬⁿⁿ",
            "ᴀɴɴ",
            "Aɴɴ",
            "ꭺnn",
            "Ꭺnn",
            "ꓮꓠꓠ",
            "ꓮnn",
            "Аnn",
            "Αnn",
            "ΑΝΝ",
            "αnn",
            "ɑnn",
            "An\u{345}n",
            "Ann\u{345}",
            "Ann\u{200d}",
            "Ann\u{fe00}",
            "𐊠nn",
            "𐌀nn",
            "𖽀nn",
            "ᗅnn",
            "ⲀⲚⲚ",
            "🄰🄽🄽",
            "🅐🅝🅝",
            "Anո",
            "Aпn",
            "∀nn",
            "ⅎnn",
            "An.n",
            "Annـ",
            "A n n",
        ];
        for other in others {
            check_is_kept_out(other, "Ann");
        }
        let others = [
            "Lⅰam",
            "ⅼiam",
            "Lıam",
            "Ⅼiam",
            "Lɪam",
            "L1am",
            "L|am",
            "Lιam",
            "Lіam",
            "ʟiam",
            "Lӏam",
            "LΙAM",
            "LꓲAM",
            "Lǀam",
            "ᏞᎥᎪᎷ",
            "ꮮꭵꭺꮇ",
            "ꓡꓲꓮꓟ",
            "ₗᵢₐₘ",
            "Liarn",
        ];
        for other in others {
            check_is_kept_out(other, "Liam");
        }
        for (other, name) in
            [("ВОВ", "Bob"), ("вов", "BOB"), ("НЕН", "HEH"), ("нанна", "Hahha"), ("ΗΑΗ", "hah")]
        {
            check_is_kept_out(other, name);
        }
        for (other, name) in
            [("エ", "工"), ("ロ", "口"), ("Ολγα", "OλγA"), ("ССС", "ccc"), ("аnna", "Anna")]
        {
            check_is_kept_out(other, name);
        }
    }

    #[test]
    fn no_character_at_all_stands_for_a_letter_of_a_name_that_is_taken() {
        let is_letter =
            |text: &str| text.len() == 1 && text.chars().all(|it| it.is_ascii_alphanumeric());
        for char in ('\u{80}'..=char::MAX).filter(|char| char.is_alphanumeric()) {
            // A variant of a letter becomes that letter.
            let Some(one) = cleaned(&char.to_string()) else { continue };
            let looks = [one.clone(), skeleton(&one).collect::<String>()];
            for look in looks.iter().filter(|look| is_letter(look)) {
                check_is_kept_out(&format!("{char}{char}"), &look.repeat(2));
            }
        }
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
