//! Reads the answers to an exercise from a document, `tests/answers/EXERCISE.md`. Each has a heading,
//! which says what's wrong with it or how it differs, and a block with the body of the function:
//!
//! ````text
//! ## wrong: ignores the short count
//!
//! Expect: `3 bytes are left`
//!
//! ```rust
//!     …
//! ```
//! ````
//!
//! `Expect` quotes what the reader must be told. `Hangs.` in its place means that some scene or trial
//! never ends. Other lines are for people. Right answers stand in a fold, `<details>`, so that the page
//! doesn't give them away.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail, ensure};

use super::answer_files;
use runner::workbook::read;

/// A known answer to an exercise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) kind: Kind,
    /// What the heading says of it.
    pub(super) name: String,
    pub(super) body: String,
    /// Words that the rejection must contain.
    pub(super) expected: Option<String>,
    /// True if it's known never to end some scene or trial.
    pub(super) hangs: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Right,
    Wrong,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Right => "right",
            Kind::Wrong => "wrong",
        }
    }
}

/// Reads a document. Without one, there are no answers. An error names the file and the line.
pub(super) fn read_document(file: &Path) -> anyhow::Result<Vec<Answer>> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let mut reader = Reader::default();
    for (index, line) in read(file)?.lines().enumerate() {
        let place = || format!("{}:{}", file.display(), index + 1);
        reader.take(line).with_context(place)?;
    }
    reader.end().with_context(|| format!("{}, at its end", file.display()))?;
    Ok(reader.answers)
}

/// Reads the bodies for an exercise that an author wants to try, each with its name: those of a
/// document `DIR/EXERCISE.md`, and those in files `DIR/EXERCISE/*.rs`.
pub(super) fn bodies_to_try(dir: &Path, exercise: &str) -> anyhow::Result<Vec<(String, String)>> {
    let answers = read_document(&dir.join(format!("{exercise}.md")))?;
    let named = |answer: Answer| (format!("{}: {}", answer.kind.word(), answer.name), answer.body);
    let mut bodies: Vec<_> = answers.into_iter().map(named).collect();
    for file in answer_files(&dir.join(exercise)) {
        let name = file.file_stem().unwrap_or_default().display().to_string();
        bodies.push((name, read(&file)?));
    }
    Ok(bodies)
}

#[derive(Debug, Default)]
struct Reader {
    answers: Vec<Answer>,
    is_in_fold: bool,
    /// The answer whose block hasn't come yet.
    heading: Option<Answer>,
    /// True between the fences of a block.
    is_in_block: bool,
}

impl Reader {
    fn take(&mut self, line: &str) -> anyhow::Result<()> {
        if self.is_in_block {
            self.take_code(line);
        } else if let Some(heading) = line.strip_prefix("## ") {
            self.end()?;
            self.begin(heading)?;
        } else if let Some(language) = line.strip_prefix("```") {
            ensure!(self.heading.is_some(), "a block without a heading of its own");
            ensure!(language == "rust", "a block of `{language}` instead of `rust`");
            self.is_in_block = true;
        } else if line == "Hangs." || line.starts_with("Expect:") {
            self.take_remark(line)?;
        } else if line.starts_with("<details>") || line == "</details>" {
            self.end()?;
            self.is_in_fold = line.starts_with("<details>");
        }
        Ok(())
    }

    fn begin(&mut self, heading: &str) -> anyhow::Result<()> {
        let (kind, name) = match heading.split_once(": ") {
            Some(("right", name)) => (Kind::Right, name),
            Some(("wrong", name)) => (Kind::Wrong, name),
            _ => bail!("`## {heading}` is neither `## right: …` nor `## wrong: …`"),
        };
        let is_it = |answer: &Answer| answer.kind == kind && answer.name == name;
        ensure!(!self.answers.iter().any(is_it), "`{heading}` for the second time");
        let is_in_its_place = self.is_in_fold == (kind == Kind::Right);
        ensure!(is_in_its_place, "right answers stand in <details>, and wrong ones don't");
        let (name, body) = (name.to_owned(), String::new());
        self.heading = Some(Answer { kind, name, body, expected: None, hangs: false });
        Ok(())
    }

    fn take_remark(&mut self, line: &str) -> anyhow::Result<()> {
        let answer = self.heading.as_mut().filter(|answer| answer.kind == Kind::Wrong);
        let answer = answer.with_context(|| format!("`{line}` isn't about a wrong answer"))?;
        if line == "Hangs." {
            answer.hangs = true;
            return Ok(());
        }
        let quoted = line.strip_prefix("Expect: `").and_then(|rest| rest.strip_suffix('`'));
        let quoted = quoted.with_context(|| format!("`{line}` isn't in the form Expect: `…`"))?;
        answer.expected = Some(quoted.to_owned());
        Ok(())
    }

    fn take_code(&mut self, line: &str) {
        if line == "```" {
            self.is_in_block = false;
            self.answers.extend(self.heading.take());
        } else if let Some(answer) = &mut self.heading {
            answer.body += line;
            answer.body.push('\n');
        }
    }

    /// Fails if a block is missing, or isn't closed.
    fn end(&self) -> anyhow::Result<()> {
        let Some(Answer { kind, name, .. }) = &self.heading else { return Ok(()) };
        let missing = if self.is_in_block { "block isn't closed" } else { "block is missing" };
        bail!("the {missing} of `{}: {name}`", kind.word())
    }
}

/// Fails if a directory of answers contains anything but documents of these exercises.
pub(super) fn belong_to(dir: &Path, exercises: &[&str]) -> anyhow::Result<()> {
    for entry in fs::read_dir(dir).into_iter().flatten() {
        let file = entry?.path();
        let is_document = file.extension().is_some_and(|extension| extension == "md");
        let exercise = file.file_stem().unwrap_or_default().display().to_string();
        let is_known = is_document && exercises.contains(&exercise.as_str());
        ensure!(is_known, "{} isn't the document of an exercise", file.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> anyhow::Result<Vec<Answer>> {
        let mut reader = Reader::default();
        text.lines().try_for_each(|line| reader.take(line))?;
        reader.end()?;
        Ok(reader.answers)
    }

    const WRONG: &str = "## wrong: a half\n\nExpect: `one`\n\nHangs.\n\n```rust\n    1 / 2\n```\n";
    const RIGHT: &str = "<details><summary>Right</summary>\n\n## right: a half\n\nIt's fine.\n\n\
                         ```rust\n    // Hangs.\n\n    0.5\n```\n\n</details>\n";

    #[test]
    fn a_document_has_a_heading_a_remark_and_a_body_for_each_answer() {
        let answers = parsed(&format!("# Answers\n\nSome.\n\n{WRONG}\n{RIGHT}")).unwrap();
        let wrong = Answer {
            kind: Kind::Wrong,
            name: "a half".to_owned(),
            body: "    1 / 2\n".to_owned(),
            expected: Some("one".to_owned()),
            hangs: true,
        };
        let right = Answer {
            kind: Kind::Right,
            body: "    // Hangs.\n\n    0.5\n".to_owned(),
            expected: None,
            hangs: false,
            ..wrong.clone()
        };
        assert_eq!(answers, [wrong, right]);
    }

    #[test]
    fn what_is_malformed_is_named() {
        let error = |text: &str| parsed(text).unwrap_err().to_string();
        for (text, why) in [
            ("## other: a\n", "`## other: a` is neither"),
            ("## right\n", "`## right` is neither"),
            ("## wrong: a\n## wrong: b\n", "the block is missing of `wrong: a`"),
            ("## wrong: a\n```rust\n", "the block isn't closed of `wrong: a`"),
            ("```rust\n```\n", "a block without a heading"),
            (&format!("{WRONG}```rust\n```\n"), "a block without a heading"),
            ("## wrong: a\n```python\n", "a block of `python`"),
            (&format!("{WRONG}{WRONG}"), "`wrong: a half` for the second time"),
            ("## right: a\n", "right answers stand in <details>"),
            (&RIGHT.replace("## right", "## wrong"), "right answers stand in <details>"),
            ("Hangs.\n", "isn't about a wrong answer"),
            (&RIGHT.replace("It's fine.", "Expect: `a`"), "isn't about a wrong answer"),
            ("## wrong: a\nExpect: a\n", "isn't in the form"),
        ] {
            assert!(error(text).contains(why), "{text}: {}", error(text));
        }
    }
}
