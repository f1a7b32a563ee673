//! Expected beside yours: two transcripts, line by line, side by side where the terminal is wide
//! enough and one below the other where it is not.

use std::fmt::Write;

use crate::terminal::{Terminal, visible};

/// A line of the one, of the other, or of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row<'a> {
    expected: Option<&'a str>,
    yours: Option<&'a str>,
}

impl Row<'_> {
    fn differs(self) -> bool {
        self.expected != self.yours
    }
}

/// This many rows are shown, from a few before the first difference on.
const MOST_ROWS: usize = 40;
const ROWS_BEFORE: usize = 6;
/// A transcript that never ends is compared this far only.
const MOST_LINES: usize = 500;

/// Sets the two transcripts beside each other.
pub(crate) fn beside(terminal: &Terminal, expected: &str, yours: &str) -> String {
    if yours.trim().is_empty() {
        return expected_alone(terminal, expected);
    }
    let yours = visible(yours);
    let yours: Vec<&str> = yours.lines().take(MOST_LINES).collect();
    let yours = yours.join("\n");
    let rows = rows(expected, &yours);
    let first_difference = rows.iter().position(|row| row.differs()).unwrap_or(0);
    let skipped = first_difference.saturating_sub(ROWS_BEFORE);
    let left = rows.len() - skipped;

    let mut text = String::new();
    if skipped > 0 {
        let _ = writeln!(text, "  {}", terminal.dim(&format!("… {skipped} equal lines")));
    }
    let shown = &rows[skipped..skipped + left.min(MOST_ROWS)];
    let column = (terminal.width - 7) / 2;
    let widest = shown.iter().flat_map(|row| [row.expected, row.yours]).flatten();
    if widest.map(|line| line.chars().count()).max().unwrap_or(0) <= column {
        side_by_side(terminal, shown, column, &mut text);
    } else {
        one_below_the_other(terminal, shown, &mut text);
    }
    if left > MOST_ROWS {
        let more = format!("… {} more lines", left - MOST_ROWS);
        let _ = writeln!(text, "  {}", terminal.dim(&more));
    }
    text
}

/// Nothing came, so there is nothing to set it beside.
fn expected_alone(terminal: &Terminal, expected: &str) -> String {
    let lines = expected.lines().map(|line| terminal.wrap("    ", line));
    format!("    {}\n{}", terminal.dim("expected"), lines.collect::<String>())
}

fn side_by_side(terminal: &Terminal, rows: &[Row<'_>], column: usize, text: &mut String) {
    let lines = rows.iter().filter_map(|row| row.expected);
    let widest = lines.map(|line| line.chars().count()).max().unwrap_or(0);
    let column = column.min(widest.max("expected".len()));
    let heading = format!("    {:<column$}  {}", "expected", "yours");
    let _ = writeln!(text, "{}", terminal.dim(&heading));
    for row in rows {
        let expected = row.expected.unwrap_or_default();
        let yours = row.yours.unwrap_or("-");
        let line = if row.differs() {
            let pad = " ".repeat(column - expected.chars().count());
            let (expected, yours) = (terminal.green(expected), terminal.red(yours));
            format!("  ≠ {expected}{pad}  {yours}")
        } else {
            format!("    {expected:<column$}  {yours}")
        };
        let _ = writeln!(text, "{line}");
    }
}

/// Differences as in a patch: what was expected, then what is yours.
fn one_below_the_other(terminal: &Terminal, rows: &[Row<'_>], text: &mut String) {
    let _ = writeln!(text, "    {}", terminal.dim("- expected, + yours"));
    let mut rest = rows;
    while let Some(row) = rest.first() {
        let end = rest.iter().position(|other| other.differs() != row.differs());
        let (run, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        if !row.differs() {
            for line in run.iter().filter_map(|row| row.expected) {
                text.push_str(&terminal.wrap("    ", line));
            }
            continue;
        }
        for line in run.iter().filter_map(|row| row.expected) {
            let wrapped = terminal.wrap("  - ", line);
            let _ = writeln!(text, "{}", terminal.green(wrapped.trim_end()));
        }
        for line in run.iter().filter_map(|row| row.yours) {
            let wrapped = terminal.wrap("  + ", line);
            let _ = writeln!(text, "{}", terminal.red(wrapped.trim_end()));
        }
    }
}

/// Pairs the lines: those that are equal, and where they are not, what stands in their place.
fn rows<'a>(expected: &'a str, yours: &'a str) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    let mut unpaired = 0;
    for difference in diff::lines(expected.trim_end(), yours.trim_end()) {
        match difference {
            diff::Result::Both(expected, yours) => {
                unpaired = rows.len() + 1;
                rows.push(Row { expected: Some(expected), yours: Some(yours) });
            }
            diff::Result::Left(line) => {
                match rows[unpaired..].iter_mut().find(|row| row.expected.is_none()) {
                    Some(row) => row.expected = Some(line),
                    None => rows.push(Row { expected: Some(line), yours: None }),
                }
            }
            diff::Result::Right(line) => {
                match rows[unpaired..].iter_mut().find(|row| row.yours.is_none()) {
                    Some(row) => row.yours = Some(line),
                    None => rows.push(Row { expected: None, yours: Some(line) }),
                }
            }
        }
    }
    // Nothing, to `diff`, is one empty line.
    rows.retain(|row| !matches!((row.expected, row.yours), (None, Some("")) | (Some(""), None)));
    for row in &mut rows {
        if row.expected.is_some() && row.yours == Some("") {
            row.yours = None;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs<'a>(expected: &'a str, yours: &'a str) -> Vec<(Option<&'a str>, Option<&'a str>)> {
        let rows = rows(expected, yours);
        rows.iter().map(|row| (row.expected, row.yours)).collect()
    }

    #[test]
    fn a_changed_line_stands_beside_the_one_it_replaces() {
        let (a, b, c) = (Some("a"), Some("b"), Some("c"));
        assert_eq!(pairs("a\nb\nc", "a\nx\nc"), [(a, a), (b, Some("x")), (c, c)]);
    }

    #[test]
    fn lines_that_never_came_stand_alone() {
        assert_eq!(pairs("a\nb", ""), [(Some("a"), None), (Some("b"), None)]);
        assert_eq!(pairs("a", "a\nb"), [(Some("a"), Some("a")), (None, Some("b"))]);
    }
}
