//! Reads what cargo reports about a build, as one JSON object per line: the program, and the
//! compiler's messages.
//!
//! rustc names files relative to the notebook, where no reader has to stand. In the messages that
//! we pass on, each file has the name that the reader would type.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use tinyjson::JsonValue;

use crate::terminal::shown;

type Object = HashMap<String, JsonValue>;

/// One thing that cargo reports.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reported {
    /// A program has been built.
    Program(PathBuf),
    /// The compiler has something to say.
    Message {
        text: String,
        /// The directory of the package that can't be compiled, if it's an error.
        failed: Option<PathBuf>,
    },
}

/// Parses a line of cargo's. Returns `None` if it says nothing that concerns us.
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
    let mut text = string(message, "rendered")?.to_owned();
    for file in files {
        text = text.replace(&format!("{file}:"), &format!("{}:", typed(file, notebook)));
    }
    let is_error = string(message, "level").is_some_and(|level| level.starts_with("error"));
    let package = string(report, "manifest_path").and_then(|path| Path::new(path).parent());
    Some(Reported::Message { text, failed: package.filter(|_| is_error).map(Path::to_owned) })
}

fn string<'a>(object: &'a Object, name: &str) -> Option<&'a str> {
    object.get(name)?.get::<String>().map(String::as_str)
}

/// Returns true for the counts at the end of rustc's messages, which cargo doesn't show either.
fn is_summary(message: &str) -> bool {
    message.starts_with("aborting due to") || message.ends_with(" emitted")
}

/// Collects the files that a message and its notes point to.
fn collect_files<'a>(message: &'a Object, files: &mut BTreeSet<&'a str>) {
    let objects = |name| {
        let list = message.get(name).and_then(JsonValue::get::<Vec<JsonValue>>);
        list.into_iter().flatten().filter_map(JsonValue::get::<Object>)
    };
    files.extend(objects("spans").filter_map(|span| string(span, "file_name")));
    for note in objects("children") {
        collect_files(note, files);
    }
}

/// Returns a file's name as the reader would type it, if there is such a file.
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
            "message":{"message":"mismatched types","level":"error",
            "rendered":"error: mismatched types\n --> src/../src/lib.rs:3:1\n","children":[],
            "spans":[{"file_name":"src/../src/lib.rs"}]}}"#;
        // Tests run in the directory of their package.
        let here = std::env::current_dir().unwrap();
        let message = Reported::Message {
            text: "error: mismatched types\n --> src/lib.rs:3:1\n".to_owned(),
            failed: Some("/notebook/step04".into()),
        };
        assert_eq!(parse(line, &here), Some(message));
        let warning = line.replace("\"error\"", "\"warning\"");
        assert!(matches!(parse(&warning, &here), Some(Reported::Message { failed: None, .. })));
        let count = line.replace("mismatched types\"", "aborting due to 1 previous error\"");
        assert_eq!(parse(&count, &here), None);
    }
}
