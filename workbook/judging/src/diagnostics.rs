//! Reads cargo's report on a build. The report consists of one JSON object per line. We need the
//! objects that name the program or contain a compiler message.
//!
//! rustc's file names are relative to the notebook, but the reader may work in a different
//! directory. In the messages that we pass on, we replace each file name with the path that the
//! reader would type.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use exercises::Exercise;
use tinyjson::JsonValue;

use crate::notebook::page::Page;
use crate::terminal::shown;

type Object = HashMap<String, JsonValue>;

/// One entry in cargo's report.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reported {
    /// A program has been built.
    Program(PathBuf),
    /// A message from the compiler.
    Message {
        problem: Problem,
        /// The directory of the package that can't be compiled, if the message is an error.
        failed: Option<PathBuf>,
    },
}

/// An error or a warning from the compiler or from cargo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// `error` or `warning`.
    pub level: String,
    /// The error's code or the warning's lint, such as `E0308` or `dead_code`.
    pub code: Option<String>,
    /// The message, without the lines of the source.
    pub message: String,
    /// The section of the source code that the message is about.
    pub place: Option<Span>,
    /// The whole message as rustc or cargo prints it, but with the paths that the reader would
    /// type.
    pub rendered: String,
}

/// A part of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The file and the span's first line.
    pub begin: Place,
    /// The span's first column, counted from 1.
    pub column: usize,
    /// The span's last line.
    pub end_line: usize,
    /// The column just after the span in its last line.
    pub end_column: usize,
}

/// A place in a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file's path as the reader would type it.
    pub file: String,
    /// The line, if known.
    pub line: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

impl Place {
    /// Returns the place of an exercise on the page.
    pub fn of(page: &Page, exercise: &Exercise) -> anyhow::Result<Place> {
        let located = page.exercise(exercise)?;
        Ok(Place { file: shown(&page.file_of(located).path), line: located.line })
    }
}

impl Problem {
    /// Creates a problem from cargo's own messages.
    pub(crate) fn of_cargo(said: &str) -> Problem {
        let message = said.lines().find(|line| line.starts_with("error")).unwrap_or(said);
        Problem {
            level: "error".to_owned(),
            code: None,
            message: message.trim_start_matches("error: ").to_owned(),
            place: None,
            rendered: said.to_owned(),
        }
    }

    /// Returns true if the problem is an error rather than a warning.
    pub fn is_error(&self) -> bool {
        self.level == "error"
    }

    /// Returns the problem's place and the first line of its message, in the format that C
    /// compilers use and many editors can read. Returns `None` if the problem has no place.
    pub fn line(&self) -> Option<String> {
        let Span { begin, column, .. } = self.place.as_ref()?;
        let message = self.message.lines().next().unwrap_or_default();
        let code = self.code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default();
        Some(format!("{begin}:{column}: {}: {message}{code}\n", self.level))
    }
}

/// Parses a line from cargo. Returns `None` if we don't need the line.
pub(crate) fn parse(line: &str, notebook: &Path) -> Option<Reported> {
    let value: JsonValue = line.parse().ok()?;
    let report: &Object = value.get()?;
    if let Some(program) = string(report, "executable") {
        return Some(Reported::Program(PathBuf::from(program)));
    }
    let message: &Object = report.get("message")?.get()?;
    if is_summary(string(message, "message")?) {
        return None;
    }
    let mut files = BTreeSet::new();
    collect_files(message, &mut files);
    let mut rendered = string(message, "rendered")?.to_owned();
    for file in files {
        rendered = rendered.replace(&format!("{file}:"), &format!("{}:", typed(file, notebook)));
    }
    let is_error = string(message, "level").is_some_and(|level| level.starts_with("error"));
    let problem = Problem {
        level: if is_error { "error" } else { "warning" }.to_owned(),
        code: message
            .get("code")
            .and_then(JsonValue::get)
            .and_then(|code| string(code, "code"))
            .map(str::to_owned),
        message: string(message, "message")?.to_owned(),
        place: primary_span(message, notebook),
        rendered,
    };
    let package = string(report, "manifest_path").and_then(|path| Path::new(path).parent());
    Some(Reported::Message { problem, failed: package.filter(|_| is_error).map(Path::to_owned) })
}

/// Returns the part of the source that a message is mainly about.
fn primary_span(message: &Object, notebook: &Path) -> Option<Span> {
    let is_primary = |span: &&Object| {
        span.get("is_primary").and_then(JsonValue::get::<bool>).is_some_and(|is_it| *is_it)
    };
    let span = objects(message, "spans").find(is_primary)?;
    // Line and column numbers are small enough to be exact as floats.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let number = |name: &str| Some(*span.get(name)?.get::<f64>()? as usize);
    let file = typed(string(span, "file_name")?, notebook);
    Some(Span {
        begin: Place { file, line: Some(number("line_start")?) },
        column: number("column_start")?,
        end_line: number("line_end")?,
        end_column: number("column_end")?,
    })
}

/// Returns the objects in the list with the given name.
fn objects<'a>(object: &'a Object, name: &str) -> impl Iterator<Item = &'a Object> {
    let list = object.get(name).and_then(JsonValue::get::<Vec<JsonValue>>);
    list.into_iter().flatten().filter_map(JsonValue::get::<Object>)
}

fn string<'a>(object: &'a Object, name: &str) -> Option<&'a str> {
    object.get(name)?.get::<String>().map(String::as_str)
}

/// Returns true if a message is one of the summaries at the end of rustc's output, such as the
/// number of errors. Cargo hides these summaries, too.
fn is_summary(message: &str) -> bool {
    message.starts_with("aborting due to") || message.ends_with(" emitted")
}

/// Collects the files that a message and its notes point to.
fn collect_files<'a>(message: &'a Object, files: &mut BTreeSet<&'a str>) {
    files.extend(objects(message, "spans").filter_map(|span| string(span, "file_name")));
    for note in objects(message, "children") {
        collect_files(note, files);
    }
}

/// Returns a file's name as the reader would type it. If the file doesn't exist, returns the name
/// unchanged.
fn typed(file: &str, notebook: &Path) -> String {
    fs::canonicalize(notebook.join(file)).map_or_else(|_| file.to_owned(), |path| shown(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_among_the_artifacts() {
        let line = r#"{"reason":"compiler-artifact","executable":"/home/ann/workbook/target/debug/step01"}"#;
        let program = Reported::Program("/home/ann/workbook/target/debug/step01".into());
        assert_eq!(parse(line, Path::new("/")), Some(program));
        let library = r#"{"reason":"compiler-artifact","executable":null}"#;
        assert_eq!(parse(library, Path::new("/")), None);
        assert_eq!(parse("no JSON", Path::new("/")), None);
    }

    #[test]
    fn an_error_names_the_file_from_where_the_reader_stands() {
        let line = r#"{"reason":"compiler-message","manifest_path":"/notebook/step04/Cargo.toml",
            "message":{"message":"mismatched types","level":"error","code":{"code":"E0308"},
            "rendered":"error: mismatched types\n --> src/../src/lib.rs:3:1\n","children":[],
            "spans":[{"file_name":"src/../src/lib.rs","is_primary":true,"line_start":3,"line_end":4,
            "column_start":1,"column_end":2}]}}"#;
        // Tests run in the directory of their package.
        let here = std::env::current_dir().unwrap();
        let begin = Place { file: "src/lib.rs".to_owned(), line: Some(3) };
        let problem = Problem {
            level: "error".to_owned(),
            code: Some("E0308".to_owned()),
            message: "mismatched types".to_owned(),
            place: Some(Span { begin, column: 1, end_line: 4, end_column: 2 }),
            rendered: "error: mismatched types\n --> src/lib.rs:3:1\n".to_owned(),
        };
        assert_eq!(
            problem.line().as_deref(),
            Some("src/lib.rs:3:1: error: mismatched types (E0308)\n")
        );
        let message = Reported::Message { problem, failed: Some("/notebook/step04".into()) };
        assert_eq!(parse(line, &here), Some(message));
        let warning = line.replace("\"error\"", "\"warning\"");
        assert!(matches!(parse(&warning, &here), Some(Reported::Message { failed: None, .. })));
        let count = line.replace("mismatched types\"", "aborting due to 1 previous error\"");
        assert_eq!(parse(&count, &here), None);
    }
}
