//! Reads the answers to an exercise from a document, `tests/answers/EXERCISE.md`. Each answer has a
//! heading and a block with the function's body. The heading says what's wrong with the answer or
//! how the answer differs from the reference's body:
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
//! `Expect` quotes some words that the reader's verdict must contain. A line `Hangs.`, with or
//! without an `Expect`, says that a scene or trial never ends with this answer. Other lines are for
//! human readers. Correct answers are in a fold, `<details>`, so that the document doesn't give
//! them away.
//!
//! A wrong answer that's worth a hunt lists the promise that it breaks and two promises that it
//! keeps, each with a reason. The verdict that a reader gets from a scene or a trial follows the
//! answer's body:
//!
//! ````text
//! Breaks: The rest stays in the outbox.
//!
//! Keeps: It makes one call. | Nothing here repeats it.
//! Keeps: …
//!
//! ```rust
//!     …
//! ```
//!
//! ```text slow_reader
//! …
//! ```
//! ````

use std::fs;
use std::path::Path;

use anyhow::{Context, bail, ensure};

use super::answer_files;
use judging::workbook::read;

/// A known answer to an exercise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The answer's kind, which says whether the checks have to accept the answer.
    pub kind: AnswerKind,
    /// The answer's name, from its heading.
    pub name: String,
    /// The function's body.
    pub body: String,
    /// The words that the rejection must contain.
    pub(super) expected: Option<String>,
    /// True if the answer is known to hang in a scene or trial.
    pub(super) hangs: bool,
    /// The bug that a reader can hunt for in the answer.
    pub bug: Option<Bug>,
}

/// A mistake that's worth a hunt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bug {
    /// The promise that the body breaks.
    pub breaks: String,
    /// Two promises that the body keeps, each with a reason.
    pub keeps: Vec<(String, String)>,
    /// The scene or trial that reveals the mistake.
    pub shown_by: String,
    /// The verdict of that scene or trial.
    pub told: String,
}

/// The kind of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerKind {
    /// An answer that the checks have to accept.
    Right,
    /// An answer that the checks have to reject.
    Wrong,
}

impl AnswerKind {
    pub(super) fn word(self) -> &'static str {
        match self {
            AnswerKind::Right => "right",
            AnswerKind::Wrong => "wrong",
        }
    }
}

/// Reads the answers in a document. Returns no answers if the document doesn't exist. An error
/// names the file and, if a line is malformed, the line.
pub fn read_document(file: &Path) -> anyhow::Result<Vec<Answer>> {
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

/// Reads the bodies that an author wants to try for an exercise, each with its name. The bodies
/// come from the document `DIR/EXERCISE.md` and from the files in `DIR/EXERCISE/`.
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

/// Returns a document's text with a new verdict, `told`, on the wrong answer `name`. The new
/// verdict comes from the scene or trial `check` and replaces the old one, if there is one.
pub(super) fn with_told(text: &str, name: &str, check: &str, told: &str) -> anyhow::Result<String> {
    let heading = format!("## wrong: {name}\n");
    let at = text.find(&heading).with_context(|| format!("`{name}` isn't there"))?;
    let (before, of_it) = text.split_at(at + heading.len());
    let (of_it, after) = of_it.split_at(of_it.find("\n## ").unwrap_or(of_it.len()));
    let body_ends = of_it.find("\n```\n").context("its body isn't closed")? + "\n```\n".len();
    let (body, told_before) = of_it.split_at(body_ends);
    let rest = match told_before.split_once("\n```\n") {
        Some((before, rest)) if before.trim_start().starts_with("```text ") => rest,
        _ => told_before,
    };
    Ok(format!("{before}{body}\n```text {check}\n{told}```\n{rest}{after}"))
}

#[derive(Debug, Default)]
struct Reader {
    answers: Vec<Answer>,
    is_in_fold: bool,
    /// The answer whose body we haven't finished reading.
    heading: Option<Answer>,
    /// The block whose end we haven't reached yet.
    block: Option<Block>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Body,
    /// The verdict that a reader gets on the last answer.
    Told,
}

impl Reader {
    fn take(&mut self, line: &str) -> anyhow::Result<()> {
        if let Some(block) = self.block {
            self.take_from(block, line);
        } else if let Some(heading) = line.strip_prefix("## ") {
            self.end()?;
            self.begin(heading)?;
        } else if let Some(check) = line.strip_prefix("```text ") {
            let bug = self.last_bug().context("what's told of no bug")?;
            check.clone_into(&mut bug.shown_by);
            self.block = Some(Block::Told);
        } else if let Some(language) = line.strip_prefix("```") {
            ensure!(self.heading.is_some(), "a block without a heading of its own");
            ensure!(language == "rust", "a block of `{language}` instead of `rust`");
            self.block = Some(Block::Body);
        } else if ["Hangs.", "Expect:", "Breaks:", "Keeps:"].iter().any(|it| line.starts_with(it)) {
            self.take_remark(line)?;
        } else if line.starts_with("<details>") || line == "</details>" {
            self.end()?;
            self.is_in_fold = line.starts_with("<details>");
        }
        Ok(())
    }

    fn begin(&mut self, heading: &str) -> anyhow::Result<()> {
        let (kind, name) = match heading.split_once(": ") {
            Some(("right", name)) => (AnswerKind::Right, name),
            Some(("wrong", name)) => (AnswerKind::Wrong, name),
            _ => bail!("`## {heading}` is neither `## right: …` nor `## wrong: …`"),
        };
        let is_it = |answer: &Answer| answer.kind == kind && answer.name == name;
        ensure!(!self.answers.iter().any(is_it), "`{heading}` for the second time");
        let is_in_its_place = self.is_in_fold == (kind == AnswerKind::Right);
        ensure!(is_in_its_place, "right answers stand in <details>, and wrong ones don't");
        let (name, body) = (name.to_owned(), String::new());
        self.heading = Some(Answer { kind, name, body, expected: None, hangs: false, bug: None });
        Ok(())
    }

    fn take_remark(&mut self, line: &str) -> anyhow::Result<()> {
        let answer = self.heading.as_mut().filter(|answer| answer.kind == AnswerKind::Wrong);
        let answer = answer.with_context(|| format!("`{line}` isn't about a wrong answer"))?;
        if line == "Hangs." {
            answer.hangs = true;
            return Ok(());
        }
        if let Some(promise) = line.strip_prefix("Breaks: ") {
            answer.bug = Some(Bug { breaks: promise.to_owned(), ..Bug::default() });
            return Ok(());
        }
        if let Some(kept) = line.strip_prefix("Keeps: ") {
            let bug =
                answer.bug.as_mut().context("a promise that's kept, and none that's broken")?;
            let (promise, why) =
                kept.split_once(" | ").context("a promise is kept without a why")?;
            bug.keeps.push((promise.to_owned(), why.to_owned()));
            return Ok(());
        }
        let quoted = line.strip_prefix("Expect: `").and_then(|rest| rest.strip_suffix('`'));
        let quoted = quoted.with_context(|| format!("`{line}` isn't in the form Expect: `…`"))?;
        answer.expected = Some(quoted.to_owned());
        Ok(())
    }

    fn take_from(&mut self, block: Block, line: &str) {
        if line == "```" {
            self.block = None;
            self.answers.extend(self.heading.take());
            return;
        }
        let text = match block {
            Block::Body => self.heading.as_mut().map(|answer| &mut answer.body),
            Block::Told => self.last_bug().map(|bug| &mut bug.told),
        };
        if let Some(text) = text {
            text.push_str(line);
            text.push('\n');
        }
    }

    /// Returns the bug in the answer whose body has just ended.
    fn last_bug(&mut self) -> Option<&mut Bug> {
        if self.heading.is_some() { None } else { self.answers.last_mut()?.bug.as_mut() }
    }

    /// Fails if a block is missing or isn't closed.
    fn end(&self) -> anyhow::Result<()> {
        ensure!(self.block != Some(Block::Told), "what's told isn't closed");
        let Some(Answer { kind, name, .. }) = &self.heading else { return Ok(()) };
        let missing = if self.block.is_some() { "block isn't closed" } else { "block is missing" };
        bail!("the {missing} of `{}: {name}`", kind.word())
    }
}

/// Fails if a directory of answers contains anything except documents for these exercises.
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
            kind: AnswerKind::Wrong,
            name: "a half".to_owned(),
            body: "    1 / 2\n".to_owned(),
            expected: Some("one".to_owned()),
            hangs: true,
            bug: None,
        };
        let right = Answer {
            kind: AnswerKind::Right,
            body: "    // Hangs.\n\n    0.5\n".to_owned(),
            expected: None,
            hangs: false,
            ..wrong.clone()
        };
        assert_eq!(answers, [wrong, right]);
    }

    #[test]
    fn a_bug_has_its_promises_and_what_a_reader_is_told_of_it() {
        let promises = "Breaks: It halves.\nKeeps: It's a number. | The type says so.\n\n```rust\n";
        let told = "\n```text one_scene\n- 0.5\n+ 0\n```\n";
        let text = WRONG.replace("```rust\n", promises) + told;
        let bug = parsed(&text).unwrap().pop().unwrap().bug.unwrap();
        assert_eq!(bug.breaks, "It halves.");
        assert_eq!(bug.keeps, [("It's a number.".to_owned(), "The type says so.".to_owned())]);
        assert_eq!((&*bug.shown_by, &*bug.told), ("one_scene", "- 0.5\n+ 0\n"));
        assert_eq!(with_told(&text, "a half", "one_scene", &bug.told).unwrap(), text);
        let untold = text.replace(told, "");
        assert_eq!(with_told(&untold, "a half", "one_scene", &bug.told).unwrap(), text);
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
            ("## wrong: a\nKeeps: b | c\n", "none that's broken"),
            ("## wrong: a\nBreaks: b\nKeeps: c\n", "without a why"),
            (&format!("{WRONG}```text a_scene\n"), "what's told of no bug"),
        ] {
            assert!(error(text).contains(why), "{text}: {}", error(text));
        }
    }
}
