//! Shows the expected transcript and the reader's as a diff, with `-` for expected and `+` for the
//! reader's.

use similar::{ChangeTag, TextDiff};

use crate::terminal::{Terminal, count, cut, visible};

/// The largest number of diff lines shown, starting shortly before the first difference.
const MOST_LINES: usize = 60;
const LINES_BEFORE: usize = 6;
/// The largest number of the reader's lines compared, in case a transcript never ends.
const MOST_COMPARED: usize = 500;

/// Compares two transcripts. Equal lines are shown for context.
pub(crate) fn diff(terminal: &Terminal, expected: &str, yours: &str) -> String {
    let yours = visible(yours);
    let yours: Vec<&str> = yours.trim_end().lines().take(MOST_COMPARED).collect();
    let expected: Vec<&str> = expected.lines().collect();
    let diff = TextDiff::from_slices(&expected, &yours);
    let changes: Vec<_> = diff.iter_all_changes().collect();
    let is_different = |change: &similar::Change<&str>| change.tag() != ChangeTag::Equal;
    let first_difference = changes.iter().position(is_different).unwrap_or(0);
    let skipped = first_difference.saturating_sub(LINES_BEFORE);

    let legend = format!("{}  {}", terminal.red("- expected"), terminal.green("+ yours"));
    let mut text = format!("  {legend}\n");
    if skipped > 0 {
        text += &format!("  {}\n", terminal.dim(&format!("… {}", count(skipped, "equal line"))));
    }
    let rest = &changes[skipped..];
    for change in rest.iter().take(MOST_LINES) {
        let wrapped = |sign| terminal.wrap_hanging(sign, "    ", &cut(change.value()));
        text += &match change.tag() {
            ChangeTag::Equal => wrapped("    "),
            ChangeTag::Delete => terminal.red(&wrapped("  - ")),
            ChangeTag::Insert => terminal.green(&wrapped("  + ")),
        };
    }
    if let Some(more) = rest.len().checked_sub(MOST_LINES).filter(|&more| more > 0) {
        text += &format!("  {}\n", terminal.dim(&format!("… {}", count(more, "more line"))));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Terminal = Terminal { colour: false, width: 30 };

    #[test]
    fn a_changed_line_follows_the_expected_one_between_equal_lines() {
        let text = diff(&PLAIN, "a\nb\nc", "a\nx\nc\n");
        assert_eq!(text, "  - expected  + yours\n    a\n  - b\n  + x\n    c\n");
    }

    #[test]
    fn without_a_transcript_every_line_is_missing() {
        assert_eq!(diff(&PLAIN, "a\nb", ""), "  - expected  + yours\n  - a\n  - b\n");
    }

    #[test]
    fn a_long_line_is_wrapped_and_control_characters_are_spelled_out() {
        let text = diff(&PLAIN, "a", "a long line, with a bell \x07 in it");
        assert!(text.ends_with("  + a long line, with a bell\n    \\u{7} in it\n"), "{text}");
    }

    #[test]
    fn of_many_lines_only_those_near_the_difference_are_shown() {
        let expected: Vec<String> = (0..100).map(|line| line.to_string()).collect();
        let yours = expected.join("\n").replace("\n20\n", "\nx\n");
        let text = diff(&PLAIN, &expected.join("\n"), &yours);
        assert!(text.contains("  … 14 equal lines\n    14\n"), "{text}");
        assert!(text.ends_with("  … 27 more lines\n"), "{text}");
    }
}
