//! Students' texts, in a form that's safe to show to others: without invisible characters, some of
//! which reorder the text around them, and without stacks of marks that reach into other lines.

use unicode_normalization::char::is_combining_mark;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The maximum number of marks above and below a letter. Some scripts need a few.
const MARKS: usize = 5;

/// Returns a student's text without invisible characters, such as characters that change the
/// direction of the following text, and without stacks of marks, which would reach into other
/// lines.
pub(crate) fn shown(text: &str) -> String {
    let mut marks = 0;
    let is_shown = |char: &char| {
        marks = if is_combining_mark(*char) { marks + 1 } else { 0 };
        is_seen(*char) && marks <= MARKS
    };
    text.chars().filter(is_shown).collect()
}

fn is_seen(char: char) -> bool {
    use GeneralCategory::{
        Control, Format, LineSeparator, ParagraphSeparator, PrivateUse, Surrogate, Unassigned,
    };
    // Some marks and letters are invisible, such as variation selectors and fillers.
    let prints_nothing = matches!(char,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2800}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}');
    let unseen = matches!(
        char.general_category(),
        Control | Format | LineSeparator | ParagraphSeparator | PrivateUse | Surrogate | Unassigned
    );
    !unseen && !prints_nothing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_see_has_nothing_that_is_not_seen_itself() {
        let line = "expected \"a\" — got `ü`: 日本 👍 → ✓ ½ नमस्ते";
        assert_eq!(shown(line), line);
        let unseen = [
            '\0',
            '\n',
            '\u{1b}',
            '\u{7f}',
            '\u{85}',
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{180e}',
            '\u{200b}',
            '\u{200d}',
            '\u{200e}',
            '\u{200f}',
            '\u{2028}',
            '\u{2029}',
            '\u{202a}',
            '\u{202b}',
            '\u{202c}',
            '\u{202d}',
            '\u{202e}',
            '\u{2060}',
            '\u{2066}',
            '\u{2067}',
            '\u{2068}',
            '\u{2069}',
            '\u{206a}',
            '\u{3164}',
            '\u{e000}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{fff9}',
            '\u{e0001}',
            '\u{e0061}',
            '\u{e0100}',
            '\u{10ffff}',
        ];
        for char in unseen {
            assert_eq!(shown(&format!("a{char}b")), "ab", "{}", char.escape_unicode());
        }
        let piled = format!("a{}b", "\u{301}".repeat(100));
        assert_eq!(shown(&piled).chars().count(), 2 + MARKS);
    }
}
