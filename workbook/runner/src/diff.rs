//! Shows the difference between the expected transcript and the reader's as a diff, with `-` for
//! expected lines and `+` for the reader's lines.

use similar::{Change, ChangeTag, TextDiff};

use judging::terminal::{Terminal, count, cut, visible};

/// If more than twice this number of lines follow from the first difference on, the maximum number
/// of lines to show for each side of that difference, and of equal lines after it. Later
/// differences usually follow from the first.
const MOST_LINES: usize = 6;
/// The maximum number of the reader's lines to compare, in case a transcript never ends.
const MOST_COMPARED: usize = 500;

/// The visible part of the difference between two transcripts. This part ends soon after the first
/// different line and includes some equal lines for context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The number of equal lines left out before the visible lines.
    pub(crate) skipped: usize,
    /// The lines, each paired with the transcripts that contain the line.
    pub(crate) lines: Vec<(Side, String)>,
    /// The number of lines left out after the visible lines.
    pub(crate) folded: usize,
    /// The number of different lines among those that `folded` counts.
    pub(crate) folded_different: usize,
}

/// The transcripts that contain a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Both,
    Expected,
    Yours,
}

impl Difference {
    /// Compares two transcripts and keeps at most `lines_before` equal lines before the first
    /// difference.
    pub(crate) fn between(lines_before: usize, expected: &str, yours: &str) -> Difference {
        let yours = visible(yours);
        let yours: Vec<&str> = yours.trim_end().lines().take(MOST_COMPARED).collect();
        let expected: Vec<&str> = expected.lines().collect();
        let diff = TextDiff::from_slices(&expected, &yours);
        let changes: Vec<_> = diff.iter_all_changes().collect();
        let first_difference = changes.iter().position(is_different).unwrap_or(0);
        let skipped = first_difference.saturating_sub(lines_before);
        let (before, rest) = changes[skipped..].split_at(first_difference - skipped);
        let (shown, folded) = folded(rest);
        let lines = before.iter().chain(shown).map(|change| {
            let side = match change.tag() {
                ChangeTag::Equal => Side::Both,
                ChangeTag::Delete => Side::Expected,
                ChangeTag::Insert => Side::Yours,
            };
            (side, cut(change.value()))
        });
        Difference {
            skipped,
            lines: lines.collect(),
            folded: folded.len(),
            folded_different: folded.iter().filter(|change| is_different(change)).count(),
        }
    }

    /// Formats the difference for the terminal.
    pub(crate) fn shown(&self, terminal: &Terminal) -> String {
        let legend = format!("{}  {}", terminal.red("- expected"), terminal.green("+ yours"));
        let mut text = format!("  {legend}\n");
        if self.skipped > 0 {
            let skipped = count(self.skipped, "equal line");
            text += &format!("  {}\n", terminal.dim(&format!("… {skipped}")));
        }
        for (side, line) in &self.lines {
            let wrapped = |sign| terminal.wrap_hanging(sign, "    ", line);
            text += &match side {
                Side::Both => wrapped("    "),
                Side::Expected => terminal.red(&wrapped("  - ")),
                Side::Yours => terminal.green(&wrapped("  + ")),
            };
        }
        if self.folded > 0 {
            let lines = count(self.folded, "more line");
            let about = match self.folded_different {
                0 => format!("… {lines}, all equal"),
                different => format!(
                    "… {lines}, {different} of them different, perhaps only because of the \
                     difference above"
                ),
            };
            text += &terminal.dim(&terminal.wrap("  ", &about));
        }
        text
    }
}

type Line<'a> = Change<&'a str>;

/// Splits the lines from the first difference on into shown lines and folded lines.
fn folded<'a, 'b>(rest: &'a [Line<'b>]) -> (Vec<&'a Line<'b>>, Vec<&'a Line<'b>>) {
    if rest.len() <= 2 * MOST_LINES {
        return (rest.iter().collect(), Vec::new());
    }
    let end = rest.iter().position(|line| !is_different(line)).unwrap_or(rest.len());
    let (difference, behind) = rest.split_at(end);
    let mut lines_of = [0, 0];
    let (shown, cut): (Vec<_>, Vec<_>) = difference.iter().partition(|line| {
        let lines = &mut lines_of[usize::from(line.tag() == ChangeTag::Insert)];
        *lines += 1;
        *lines <= MOST_LINES
    });
    let after = if cut.is_empty() { behind.len().min(MOST_LINES) } else { 0 };
    let (near, far) = behind.split_at(after);
    (shown.into_iter().chain(near).collect(), cut.into_iter().chain(far).collect())
}

fn is_different(change: &Line) -> bool {
    change.tag() != ChangeTag::Equal
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Terminal = Terminal { colour: false, width: 30 };

    fn diff(terminal: &Terminal, expected: &str, yours: &str) -> String {
        Difference::between(6, expected, yours).shown(terminal)
    }

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
        let text = diff(&Terminal { width: 80, ..PLAIN }, &expected.join("\n"), &yours);
        assert!(text.contains("  … 14 equal lines\n    14\n"), "{text}");
        assert!(text.ends_with("    26\n  … 73 more lines, all equal\n"), "{text}");
    }

    #[test]
    fn what_follows_from_the_first_difference_is_folded() {
        let expected: Vec<String> = (0..30).map(|line| line.to_string()).collect();
        let text = diff(&Terminal { width: 100, ..PLAIN }, &expected.join("\n"), "0\n1\n");
        assert!(text.contains("    1\n  - 2\n"), "{text}");
        let folded = "  … 22 more lines, 22 of them different, perhaps only because of the \
                      difference above\n";
        assert!(text.ends_with(folded), "{text}");
    }
}
