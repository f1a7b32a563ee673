//! Columns of a line that the code puts together from several strings, such as a row of a table.

/// Splits a line behind each colon and where two spaces or more follow each other. The spaces belong to
/// the column before them.
pub(crate) fn columns(line: &str) -> Vec<&str> {
    let mut columns = Vec::new();
    let mut start = 0;
    for (at, _) in line.char_indices() {
        let before = &line[start..at];
        let is_wide = before.ends_with("  ") || before.trim_end().ends_with(':');
        if before.ends_with(' ') && is_wide && !line[at..].starts_with(' ') {
            columns.push(before);
            start = at;
        }
    }
    columns.push(&line[start..]);
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colon_or_two_spaces_end_a_column() {
        assert_eq!(columns("  Edge:  a b | c"), ["  ", "Edge:  ", "a b | c"]);
        assert_eq!(columns("after that   7     8"), ["after that   ", "7     ", "8"]);
        assert_eq!(columns("one: two"), ["one: ", "two"]);
    }
}
