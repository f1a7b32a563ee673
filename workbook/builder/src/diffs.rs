//! Each step's changes to the echo server, hunk by hunk, and each hunk's lesson.
//!
//! The servers of steps 02 to 05 use the same names in the same order, so nearly every difference
//! is part of a step's lesson. A file that a step reuses from the step below isn't in the step's
//! own folder, so we don't compare it. `book/diffs.toml` gives each hunk a label and identifies the
//! hunk by one of its changed lines.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use similar::{ChangeTag, TextDiff};

use crate::exercises::ExerciseSource;
use crate::folds::Folds;
use crate::spoilers::Passages;
use crate::steps::without_marks;

/// Pairs of steps. In each pair, the second step's server is a modified copy of the first step's.
const PAIRS: [(&str, &str); 3] = [
    ("step02_epoll", "step03_selector"),
    ("step03_selector", "step04_timers"),
    ("step04_timers", "step05_selfpipe"),
];
/// The number of unchanged lines shown before and after a change.
const CONTEXT: usize = 2;

/// A hunk's entry in `diffs.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Label {
    file: String,
    /// One of the changed lines, without surrounding whitespace.
    line: String,
    #[serde(flatten)]
    text: LabelText,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LabelText {
    /// The hunk's lesson.
    Lesson(String),
    /// The kind of a change that can't be avoided but teaches nothing, such as imports.
    Other(String),
}

/// Neighbouring changes that a step makes to one file, with a few lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hunk {
    file: String,
    is_new_file: bool,
    /// The hunk's lines, each of which begins with ` `, `-` or `+`.
    lines: String,
}

impl Hunk {
    fn changed_lines(&self) -> impl Iterator<Item = &str> {
        self.lines.lines().filter(|line| !line.starts_with(' ')).map(|line| line[1..].trim())
    }

    fn has(&self, label: &Label) -> bool {
        label.file == self.file && self.changed_lines().any(|line| line == label.line)
    }

    /// Returns the hunk's text in three forms: as a diff, before the change, and after the change.
    fn texts(&self) -> String {
        let without = |sign: &str| {
            let kept = self.lines.lines().filter(|line| !line.starts_with(sign));
            kept.collect::<Vec<&str>>().join("\n")
        };
        [self.lines.clone(), without("+"), without("-")].join("\n")
    }
}

/// Returns a step's changes to the server as Markdown, for the step's chapter. Folds the hunks that
/// contain lines from an exercise, the new files, and the changes that teach nothing.
pub(crate) fn shown(root: &Path, step: &str, folds: &Folds) -> Result<String> {
    let mut page = String::new();
    let exercises = ExerciseSource::all(root)?;
    let passages = Passages::of(&exercises)?;
    for (hunk, text) in &labelled(root, step)? {
        let (LabelText::Lesson(label) | LabelText::Other(label)) = text;
        let yours = passages.shown_in(&hunk.texts());
        if !yours.is_empty() {
            let fold = folds.of_solution(&yours, "diff", &hunk.lines);
            writeln!(page, "**{label}**\n\n{fold}\n")?;
        } else if hunk.is_new_file {
            let code: Vec<&str> = hunk.lines.lines().map(|line| &line[1..]).collect();
            let (file, code) = (&hunk.file, code.join("\n"));
            writeln!(
                page,
                "<details>\n<summary>New file <code>{file}</code>: {label}</summary>\n\n\
                 ```rust\n{code}\n```\n\n</details>\n"
            )?;
        } else if matches!(text, LabelText::Lesson(_)) {
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

/// Returns a step's hunks, each with its label. Fails unless each hunk has exactly one label and
/// each label exactly one hunk.
fn labelled(root: &Path, step: &str) -> Result<Vec<(Hunk, LabelText)>> {
    let (old, new) = PAIRS.iter().find(|(_, new)| *new == step).context("no server to compare")?;
    let file = root.join("book/diffs.toml");
    let text = fs::read_to_string(&file).with_context(|| format!("read {}", file.display()))?;
    let labels: BTreeMap<String, Vec<Label>> = toml::from_str(&text)?;
    let labels = labels.get(*new).map(Vec::as_slice).unwrap_or_default();
    with_labels(computed(root, old, new)?, labels)
        .with_context(|| format!("book/diffs.toml: {new}"))
}

fn with_labels(hunks: Vec<Hunk>, labels: &[Label]) -> Result<Vec<(Hunk, LabelText)>> {
    for label in labels {
        let count = hunks.iter().filter(|hunk| hunk.has(label)).count();
        ensure!(count == 1, "{count} hunks of {} change `{}`", label.file, label.line);
    }
    let with_label = |hunk: Hunk| {
        let label = match labels.iter().filter(|it| hunk.has(it)).collect::<Vec<_>>()[..] {
            [label] => label.text.clone(),
            [] => bail!("a hunk of {} has no label:\n{}", hunk.file, hunk.lines),
            _ => bail!("a hunk of {} has several labels:\n{}", hunk.file, hunk.lines),
        };
        Ok((hunk, label))
    };
    hunks.into_iter().map(with_label).collect()
}

/// Compares the server's folders in two steps and returns the differences, hunk by hunk.
fn computed(root: &Path, old: &str, new: &str) -> Result<Vec<Hunk>> {
    let folder = |step: &str| root.join(step).join("src/echo_server");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder(new)).with_context(|| folder(new).display().to_string())? {
        files.push(entry?.file_name().to_string_lossy().into_owned());
    }
    // The server's main file comes first, and then its parts.
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
            hunks.push(Hunk { file: file.to_owned(), is_new_file: before.is_none(), lines });
        }
    }
    hunks
}

/// Splits a group of lines at each unchanged blank line between two functions that both change.
/// Otherwise, a change to one function would be folded because the other function contains lines
/// from an exercise.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::root;

    #[test]
    fn each_hunk_has_a_label_and_hardly_anything_is_not_a_lesson() {
        let mut others = 0;
        for (_, step) in PAIRS {
            let hunks = labelled(root(), step).expect("labelled hunks");
            let of_others = hunks.iter().filter(|(_, text)| matches!(text, LabelText::Other(_)));
            others += of_others.map(|(hunk, _)| hunk.changed_lines().count()).sum::<usize>();
        }
        assert!(others <= 40, "{others} changed lines aren't part of a lesson");
    }

    #[test]
    fn a_hunk_without_a_label_and_a_label_without_a_hunk_are_refused() {
        let hunks = hunks_of("mod.rs", Some("a\n\nb\nc\n"), "a\n\n  x\nc\n");
        assert_eq!(hunks[0].lines, " a\n \n-b\n+  x\n c\n");
        let label = |line: &str| {
            let text = LabelText::Lesson("x".to_owned());
            Label { file: "mod.rs".to_owned(), line: line.to_owned(), text }
        };
        let refused = |labels: &[Label]| {
            with_labels(hunks.clone(), labels).expect_err("a refusal").to_string()
        };
        assert!(with_labels(hunks.clone(), &[label("x")]).is_ok());
        assert!(refused(&[]).starts_with("a hunk of mod.rs has no label"));
        assert!(refused(&[label("x"), label("b")]).contains("several labels"));
        assert_eq!(refused(&[label("x"), label("c")]), "0 hunks of mod.rs change `c`");
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
        assert_eq!((hunks.len(), hunks[0].changed_lines().count()), (1, 2));
    }
}
