//! What each step changes in the echo server, hunk by hunk, and the lesson of each hunk.
//!
//! The servers of steps 02 to 05 keep their names and their order, so that what differs is what the
//! step teaches. `book/diffs/stepNN.diff` records it: each hunk has a label above it,
//! `# lesson: …`, or `# not a lesson: …` for what can't be avoided, such as imports. A file that a
//! step takes from the step below isn't in its folder, and so isn't in the diff. Here the diffs are
//! computed from the sources, checked against what's recorded, and shown in the chapters.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use similar::{ChangeTag, TextDiff};

use crate::exercises::ExerciseSource;
use crate::folds;
use crate::spoilers::Passages;
use crate::steps::without_marks;

/// Pairs of steps. The second's server is a modified copy of the first's.
const PAIRS: [(&str, &str); 3] = [
    ("step02_epoll", "step03_selector"),
    ("step03_selector", "step04_timers"),
    ("step04_timers", "step05_selfpipe"),
];
/// The number of unchanged lines shown before and after a change.
const CONTEXT: usize = 2;
const LESSON: &str = "# lesson:";
const NOT_A_LESSON: &str = "# not a lesson:";

/// Lines of one file that a step changes together.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hunk {
    file: String,
    is_new_file: bool,
    /// `LESSON` or `NOT_A_LESSON`, followed by a text. Empty if the hunk hasn't been labelled yet.
    label: String,
    /// The lines, each of which begins with ` `, `-` or `+`.
    lines: String,
}

impl Hunk {
    fn changed_lines(&self) -> usize {
        self.lines.lines().filter(|line| !line.starts_with(' ')).count()
    }

    fn label_text(&self) -> &str {
        let text = self.label.strip_prefix(LESSON).or(self.label.strip_prefix(NOT_A_LESSON));
        text.unwrap_or_default().trim()
    }

    /// Returns its text three times: as it's shown, before the change, and after it.
    fn texts(&self) -> String {
        let without = |sign: &str| {
            let kept = self.lines.lines().filter(|line| !line.starts_with(sign));
            kept.collect::<Vec<&str>>().join("\n")
        };
        [self.lines.clone(), without("+"), without("-")].join("\n")
    }

    fn is_lesson(&self) -> bool {
        self.label.starts_with(LESSON)
    }

    /// Returns true if both are the same change, whatever their labels say.
    fn is_same_change(&self, other: &Hunk) -> bool {
        (&self.file, &self.lines) == (&other.file, &other.lines)
    }
}

/// Shows what `step` changes in the server, for its chapter. A hunk that shows lines of an exercise
/// is folded.
pub(crate) fn shown(root: &Path, step: &str) -> Result<String> {
    let mut page = String::new();
    let exercises = ExerciseSource::all(root)?;
    let passages = Passages::of(&exercises)?;
    for (index, hunk) in recorded_and_current(root, step)?.iter().enumerate() {
        let label = hunk.label_text();
        let yours = passages.shown_in(&hunk.texts());
        if !yours.is_empty() {
            writeln!(page, "**{label}**\n\n{}\n", folds::of_hunk(&yours, step, index))?;
        } else if hunk.is_new_file {
            let code: Vec<&str> = hunk.lines.lines().map(|line| &line[1..]).collect();
            let (file, code) = (&hunk.file, code.join("\n"));
            writeln!(
                page,
                "<details>\n<summary>New file <code>{file}</code>: {label}</summary>\n\n\
                 ```rust\n{code}\n```\n\n</details>\n"
            )?;
        } else if hunk.is_lesson() {
            writeln!(page, "**{label}**\n\n```diff\n{}```\n", hunk.lines)?;
        } else {
            writeln!(
                page,
                "<details>\n<summary>{label}</summary>\n\n```diff\n{}```\n\n</details>\n",
                hunk.lines
            )?;
        }
    }
    Ok(page)
}

/// Returns the lines of one hunk of what `step` changes.
pub(crate) fn lines_of(root: &Path, step: &str, index: usize) -> Result<String> {
    let hunk = recorded_and_current(root, step)?.into_iter().nth(index);
    Ok(hunk.with_context(|| format!("{step} has no hunk {index}"))?.lines)
}

/// Records all diffs again. A hunk whose lines stay the same keeps its label; the others get an
/// empty one, to be filled in by hand.
pub(crate) fn record(root: &Path) -> Result<()> {
    for (old, new) in PAIRS {
        let recorded = read(root, new).unwrap_or_default();
        let mut hunks = computed(root, old, new)?;
        for hunk in &mut hunks {
            let known = recorded.iter().find(|it| it.is_same_change(hunk));
            hunk.label = known.map_or_else(|| LESSON.to_owned(), |it| it.label.clone());
        }
        let path = path_of(root, new);
        fs::write(&path, file_of(old, new, &hunks)?)?;
        let missing = hunks.iter().filter(|hunk| hunk.label_text().is_empty()).count();
        let (lessons, others) = count_lines(&hunks);
        println!("{new}: {lessons} lines of lessons, {others} others; {missing} labels missing");
    }
    Ok(())
}

/// Returns the numbers of changed lines that are part of a lesson, and of those that aren't.
fn count_lines(hunks: &[Hunk]) -> (usize, usize) {
    let lines_of = |is_lesson| {
        let of_kind = hunks.iter().filter(|hunk| hunk.is_lesson() == is_lesson);
        of_kind.map(Hunk::changed_lines).sum()
    };
    (lines_of(true), lines_of(false))
}

/// Returns the recorded hunks of a step. Fails if its server has changed since, or if a label is
/// missing.
fn recorded_and_current(root: &Path, step: &str) -> Result<Vec<Hunk>> {
    let (old, new) = PAIRS.iter().find(|(_, new)| *new == step).context("no server to compare")?;
    let recorded = read(root, new)?;
    let computed = computed(root, old, new)?;
    let path = path_of(root, new);
    let is_current = recorded.len() == computed.len()
        && recorded.iter().zip(&computed).all(|(one, other)| one.is_same_change(other));
    ensure!(
        is_current,
        "{} isn't the current difference of the servers: `cargo run -p book -- diffs` records it again",
        path.display()
    );
    for hunk in &recorded {
        ensure!(
            !hunk.label_text().is_empty(),
            "{}: a hunk of {} has no label:\n{}",
            path.display(),
            hunk.file,
            hunk.lines
        );
    }
    Ok(recorded)
}

/// Compares the server's folders of two steps.
fn computed(root: &Path, old: &str, new: &str) -> Result<Vec<Hunk>> {
    let folder = |step: &str| root.join(step).join("src/echo_server");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder(new)).with_context(|| folder(new).display().to_string())? {
        files.push(entry?.file_name().to_string_lossy().into_owned());
    }
    // The server itself first, then its parts.
    files.sort_by_key(|file| (file != "mod.rs", file.clone()));
    let mut hunks = Vec::new();
    for file in files {
        let text = |step| fs::read_to_string(folder(step).join(&file)).map(|it| without_marks(&it));
        let (before, after) = (text(old).ok(), text(new)?);
        hunks.extend(hunks_of(&file, before.as_deref(), &after));
    }
    Ok(hunks)
}

fn hunks_of(file: &str, before: Option<&str>, after: &str) -> Vec<Hunk> {
    let diff = TextDiff::from_lines(before.unwrap_or_default(), after);
    let mut hunks = Vec::new();
    for group in diff.grouped_ops(CONTEXT) {
        let lines = group.iter().flat_map(|op| diff.iter_changes(op)).map(|change| {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            format!("{sign}{}", change.value())
        });
        for lines in split_between_functions(&lines.collect::<Vec<String>>()) {
            let (file, label) = (file.to_owned(), String::new());
            hunks.push(Hunk { file, is_new_file: before.is_none(), label, lines });
        }
    }
    hunks
}

/// Splits a group of lines at each unchanged blank line between two functions that both change.
/// Otherwise a change of one would be folded, because the other shows lines of an exercise.
fn split_between_functions(lines: &[String]) -> Vec<String> {
    let is_change = |line: &String| !line.starts_with(' ');
    let mut parts = vec![String::new()];
    for (place, line) in lines.iter().enumerate() {
        let is_between = line.trim().is_empty() && place > 0 && lines[place - 1].trim() == "}";
        let is_left = lines[..place].iter().any(is_change);
        if is_between && is_left && lines[place..].iter().any(is_change) {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            *part += line;
        }
    }
    parts
}

fn path_of(root: &Path, step: &str) -> PathBuf {
    let (chapter, _) = step.split_once('_').unwrap_or((step, ""));
    root.join(format!("book/diffs/{chapter}.diff"))
}

fn file_of(old: &str, new: &str, hunks: &[Hunk]) -> Result<String> {
    let mut text = format!(
        "# What the server of {new} changes in that of {old}. Written by\n\
         # `cargo run -p book -- diffs`, except for the label above each hunk.\n"
    );
    for hunk in hunks {
        let from = if hunk.is_new_file { "/dev/null" } else { old };
        write!(text, "\n{}\n@@ {from} {new} {}\n{}", hunk.label, hunk.file, hunk.lines)?;
    }
    Ok(text)
}

/// Reads the recorded hunks of a step.
fn read(root: &Path, step: &str) -> Result<Vec<Hunk>> {
    let path = path_of(root, step);
    let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    Ok(parsed(&text))
}

fn parsed(text: &str) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut label = "";
    for line in text.lines() {
        if line.starts_with("@@ ") {
            let words: Vec<&str> = line.split(' ').collect();
            hunks.push(Hunk {
                file: words.last().copied().unwrap_or_default().to_owned(),
                is_new_file: words.get(1) == Some(&"/dev/null"),
                label: std::mem::take(&mut label).to_owned(),
                lines: String::new(),
            });
        } else if line.starts_with('#') {
            label = line;
        } else if let Some(hunk) = hunks.last_mut()
            && !line.is_empty()
        {
            hunk.lines += line;
            hunk.lines.push('\n');
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace")
    }

    #[test]
    fn the_diffs_are_recorded_labelled_and_hardly_anything_in_them_is_not_a_lesson() {
        let mut unlabelled = 0;
        for (_, step) in PAIRS {
            let hunks = recorded_and_current(root(), step).expect("a current diff");
            unlabelled += count_lines(&hunks).1;
        }
        assert!(unlabelled <= 40, "{unlabelled} changed lines aren't part of a lesson");
    }

    #[test]
    fn what_is_written_is_read_back() {
        let hunks = hunks_of("mod.rs", Some("a\n\nb\nc\n"), "a\n\nx\nc\n");
        assert_eq!(hunks.len(), 1);
        assert_eq!(hunks[0].lines, " a\n \n-b\n+x\n c\n");
        let mut labelled = hunks;
        labelled[0].label = format!("{LESSON} x");
        let file = file_of("old", "new", &labelled).expect("a file");
        assert_eq!(parsed(&file), labelled);
    }

    #[test]
    fn changes_of_two_functions_are_two_hunks() {
        let hunks = hunks_of("mod.rs", Some("a\n}\n\nfn b\nc\n"), "x\n}\n\nfn b\ny\n");
        let lines: Vec<&str> = hunks.iter().map(|hunk| hunk.lines.as_str()).collect();
        assert_eq!(lines, ["-a\n+x\n }\n", " fn b\n-c\n+y\n"]);
    }

    #[test]
    fn a_new_file_is_one_hunk() {
        let hunks = hunks_of("idle.rs", None, "a\nb\n");
        assert!(hunks[0].is_new_file);
        assert_eq!((hunks.len(), hunks[0].changed_lines()), (1, 2));
    }
}
