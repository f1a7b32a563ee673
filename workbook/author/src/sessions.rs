//! Sessions: the commands with which a reader runs Python programs in a shell, each with its
//! output.
//!
//! A page can show a folder's programs and sessions. `NAME.txt` is a session: lines that begin with
//! `$ python3` are commands, which run in the folder, and the other lines are the commands'
//! standard output and standard error. `…` within a line stands for any text. `…` on a line by
//! itself stands for any number of lines. If the first line is `# since CPython 3.14` or `# until
//! CPython 3.13`, for example, the session is skipped on the versions that this line excludes.

use std::fs;
use std::path::Path;

use crate::cpython::{Interpreter, Version};
use crate::twins::run;

/// Plays every session in a folder and compares each command's output with the output in the
/// session.
///
/// Without Python 3.11 or later, prints a message and passes, or panics if `CI` is set.
///
/// # Panics
///
/// Panics if an output differs, or if the folder has no session for the interpreter's version.
pub fn agree(folder: &Path) {
    let Some(python) = Interpreter::find() else { return };
    let entries = fs::read_dir(folder).expect("list the sessions");
    let paths = entries.map(|entry| entry.expect("a session").path());
    let sessions = paths.filter(|path| path.extension().is_some_and(|it| it == "txt"));
    let mut played = 0;
    for path in sessions {
        let text = fs::read_to_string(&path).expect("read a session");
        let (range, session) = match text.split_once('\n') {
            Some((range, rest)) if range.starts_with("# ") => (Some(range), rest),
            _ => (None, text.as_str()),
        };
        if range.is_none_or(|range| includes(range, python.version)) {
            let printed = play(&python, folder, session);
            let name = path.display();
            assert!(agrees(session, &printed), "{name} says\n{session}\nbut it was\n{printed}");
            played += 1;
        }
    }
    assert!(played > 0, "{} has no sessions", folder.display());
}

/// Returns true if a first line such as `# since CPython 3.14` includes this version.
fn includes(range: &str, version: Version) -> bool {
    let (words, named) = range.rsplit_once(" 3.").expect("a version of CPython");
    let named = (3, named.parse().expect("a number"));
    match words {
        "# since CPython" => version >= named,
        "# until CPython" => version <= named,
        _ => panic!("`{range}` is neither since nor until a version of CPython"),
    }
}

/// Runs a session's commands and returns the commands, each followed by its actual output.
fn play(python: &Interpreter, folder: &Path, session: &str) -> String {
    let commands = session.lines().filter(|line| line.starts_with("$ "));
    let parts = commands.map(|line| {
        let words = line.strip_prefix("$ python3 ").expect("a command for python3");
        let words: Vec<&str> = words.split(' ').collect();
        let mut command = python.in_one_stream(&words);
        command.current_dir(folder);
        let output = run(command, folder);
        format!("{line}\n{}", String::from_utf8_lossy(&output.stdout))
    });
    parts.collect()
}

/// Returns true if the text of a played session matches the expected session.
fn agrees(session: &str, text: &str) -> bool {
    let (expected, found): (Vec<_>, Vec<_>) = (session.lines().collect(), text.lines().collect());
    are_alike(&expected, &found, &"…", &|expected, found| {
        let (expected, found): (Vec<_>, Vec<_>) =
            (expected.chars().collect(), found.chars().collect());
        are_alike(&expected, &found, &'…', &|expected, found| expected == found)
    })
}

/// Returns true if `found` matches `expected` item by item. An expected item that equals `any`
/// matches any number of found items.
fn are_alike<T: PartialEq>(
    expected: &[T],
    found: &[T],
    any: &T,
    is_like: &impl Fn(&T, &T) -> bool,
) -> bool {
    match (expected, found) {
        ([], []) => true,
        ([first, rest @ ..], _) if first == any => {
            (0..=found.len()).any(|skipped| are_alike(rest, &found[skipped..], any, is_like))
        }
        ([first, expected @ ..], [its, found @ ..]) => {
            is_like(first, its) && are_alike(expected, found, any, is_like)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{agrees, includes};

    #[test]
    fn an_ellipsis_is_anything_within_its_line_or_any_lines() {
        assert!(agrees("a … c\n…\nd", "a b c\n1\n2\nd"));
        assert!(agrees("a …", "a "));
        assert!(agrees("…\nd", "d"));
        assert!(!agrees("a … c", "a b\nc"));
        assert!(!agrees("a\nb", "a"));
        assert!(!agrees("a", "a\nb"));
    }

    #[test]
    fn a_session_names_its_versions() {
        assert!(
            includes("# since CPython 3.14", (3, 14)) && includes("# since CPython 3.14", (3, 15))
        );
        assert!(
            !includes("# since CPython 3.14", (3, 13)) && includes("# until CPython 3.13", (3, 13))
        );
        assert!(!includes("# until CPython 3.13", (3, 14)));
    }
}
