//! The lines of code that created the loop's tasks and callbacks, for the page `/loop`.
//!
//! A trace says where a task or a callback was created, as `file:line`. A page can ask only for
//! Rust sources in the workbook's directory, which also contains the notebook.

use std::fs;
use std::path::{Component, Path};

use hyper::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::replies::Refusal;

/// The number of lines to show before the requested line and after it.
const AROUND: usize = 2;

/// A place in a source file, as it occurs in a trace.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    place: String,
}

impl Place {
    /// Returns the lines around this place and the number of the first line. Fails if the file
    /// isn't a source file in this directory or in this directory's notebook, or if the file
    /// doesn't have this line.
    pub(crate) fn lines_below(&self, root: &Path) -> Result<Value, Refusal> {
        const UNKNOWN: Refusal =
            Refusal(StatusCode::NOT_FOUND, "that place isn't in the workbook's sources");
        let (file, number) = self.place.rsplit_once(':').ok_or(UNKNOWN)?;
        let number: usize = number.parse().map_err(|_| UNKNOWN)?;
        let file = Path::new(file);
        let file = file.strip_prefix(root).unwrap_or(file);
        let is_plain = file.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_plain || file.extension().is_none_or(|it| it != "rs") {
            return Err(UNKNOWN);
        }
        // Try both directories, because paths in the notebook's traces are relative to the
        // notebook.
        let read = |below: &Path| fs::read_to_string(below.join(file));
        let text = read(root).or_else(|_| read(&root.join("work"))).map_err(|_| UNKNOWN)?;
        let first = number.saturating_sub(AROUND).max(1);
        let lines: Vec<&str> =
            text.lines().skip(first - 1).take(number - first.min(number) + AROUND + 1).collect();
        if number == 0 || lines.len() <= number - first {
            return Err(UNKNOWN);
        }
        Ok(json!({ "first": first, "lines": lines }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(place: &str) -> Option<(u64, usize)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let lines = Place { place: place.to_owned() }.lines_below(root).ok()?;
        Some((lines["first"].as_u64()?, lines["lines"].as_array()?.len()))
    }

    #[test]
    fn a_place_has_its_lines_and_those_around_it() {
        assert_eq!(asked("src/source.rs:1"), Some((1, 3)));
        assert_eq!(asked("src/source.rs:12"), Some((10, 5)));
        let whole = concat!(env!("CARGO_MANIFEST_DIR"), "/src/source.rs:3");
        assert_eq!(asked(whole), Some((1, 5)));
    }

    #[test]
    fn nothing_but_a_source_below_the_root_is_read() {
        let others = [
            "src/source.rs",
            "src/source.rs:0",
            "src/source.rs:100000",
            "src/source.rs:18446744073709551615",
            "src/../src/source.rs:1",
            "../exercises/src/lib.rs:1",
            "/etc/passwd:1",
            "Cargo.toml:1",
            "src:1",
            "",
        ];
        for place in others {
            assert_eq!(asked(place), None, "{place}");
        }
    }
}
