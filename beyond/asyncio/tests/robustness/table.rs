//! The outcomes as a table for the book.

use std::env;
use std::fs;
use std::path::Path;

/// The outcome of a call that fails, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// Nothing is lost.
    GoesOn,
    /// Nothing is lost, and the error is reported.
    Reports,
    /// Nothing is lost, the error is reported, and accepting pauses.
    Pauses,
    /// The connection ends, or the call fails, with an error that names the system call.
    Ends,
}

/// A system call and its outcome for each error.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) doing: &'static str,
    pub(crate) call: &'static str,
    pub(crate) outcomes: Vec<(&'static str, Outcome)>,
}

const HEAD: &str = "\
| while | this call fails | nothing is lost | nothing is lost, but it's reported | the same, and accepting pauses | it ends with that error |
| --- | --- | --- | --- | --- | --- |
";

impl Row {
    fn cells(&self) -> String {
        let columns = [Outcome::GoesOn, Outcome::Reports, Outcome::Pauses, Outcome::Ends];
        columns.map(|outcome| self.errors(outcome)).join(" | ")
    }

    /// Returns the errors with this outcome.
    fn errors(&self, outcome: Outcome) -> String {
        let of = self.outcomes.iter().filter(|(_, actual)| *actual == outcome);
        let names: Vec<&str> = of.map(|(name, _)| *name).collect();
        match names.len() {
            0 => String::new(),
            count if count == self.outcomes.len() => "every error".to_owned(),
            _ => names.join(", "),
        }
    }
}

/// Makes a table, in which calls with the same outcomes share a line, and so do calls of two kinds
/// with the same description.
fn to_markdown(rows: &[Row]) -> String {
    let mut lines: Vec<(&str, String, Vec<String>)> = Vec::new();
    for row in rows {
        let (name, cells) = (format!("`{}`", row.call), row.cells());
        match lines.iter_mut().find(|line| (line.0, &line.1) == (row.doing, &cells)) {
            Some((_, _, names)) if names.contains(&name) => {}
            Some((_, _, names)) => names.push(name),
            None => lines.push((row.doing, cells, vec![name])),
        }
    }
    let lines = lines
        .iter()
        .map(|(doing, cells, names)| format!("| {doing} | {} | {cells} |\n", names.join(", ")));
    HEAD.to_owned() + &lines.collect::<String>()
}

/// Prints the table and compares it with the book's table.
pub(crate) fn check(rows: &[Row]) {
    let table = to_markdown(rows);
    println!("{table}");
    if env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/measured/robustness.md");
        fs::write(file, table).unwrap();
    } else {
        assert_eq!(table, include_str!("../../../../book/measured/robustness.md"));
    }
}
