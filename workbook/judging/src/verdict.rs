//! A verdict: whether a page's results in a scene or a trial are as expected.

use std::path::Path;
use std::time::Duration;

use crate::run::{Fault, SceneRun, patience, run_scene_within};
use crate::step::{Check, CheckKind, Step};
use exercises::Exercise;
use scene::FIRST_PROGRAM;
use scene::record::Panic;

/// How long a reader waits for a shorter program.
const TIME_WITH_A_READER: Duration = Duration::from_millis(1500);

/// The time and care to spend on a verdict.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// The time limit for a scene or a trial.
    pub patience: Duration,
    /// The time after which we try no shorter version of a program in which a page and the
    /// reference differ. Zero if the program isn't shortened at all.
    pub time_to_shorten: Duration,
    /// True if the page's results may be compared with the results of an earlier run of the
    /// reference. If the results differ, the reference runs again.
    pub trusts_a_kept_run: bool,
    /// The number of a trial's first program. The number is 0 unless an author or a grader asks for
    /// different programs.
    pub first_program: u32,
}

impl Effort {
    /// Returns the effort for a reader, who wants to see the mistake.
    pub fn for_a_reader() -> Self {
        let first_program = std::env::var(FIRST_PROGRAM).ok().and_then(|text| text.parse().ok());
        Effort {
            patience: patience(),
            time_to_shorten: TIME_WITH_A_READER,
            trusts_a_kept_run: first_program.is_none(),
            first_program: first_program.unwrap_or(0),
        }
    }

    /// Returns the effort for a caller that needs to know only whether the verdict is green.
    pub fn for_a_check() -> Self {
        Effort {
            time_to_shorten: Duration::ZERO,
            trusts_a_kept_run: false,
            ..Effort::for_a_reader()
        }
    }
}

/// The verdict on the layer that a scene or a trial ran on.
#[derive(Debug)]
pub struct Verdict {
    /// The scene or trial that ran.
    pub check: Check,
    /// The expected transcript.
    pub expected: String,
    /// The result of the run.
    pub run: SceneRun,
}

impl Verdict {
    /// Runs a scene and compares its transcript with the expected transcript.
    pub(crate) fn of_scene(
        scene: Check,
        expected: &str,
        program: &Path,
        effort: Effort,
    ) -> anyhow::Result<Verdict> {
        let run = run_scene_within(effort.patience, program, scene.name)?;
        Ok(Verdict { check: scene, expected: expected.to_owned(), run }.explained())
    }

    /// Adds the caught panics to the faults, unless the verdict is green.
    pub(crate) fn explained(self) -> Verdict {
        if self.is_green() { self } else { self.with_caught_panics() }
    }

    pub(crate) fn with_caught_panics(self) -> Verdict {
        Verdict { run: self.run.with_caught_panics(), ..self }
    }

    /// Returns true if the transcript is as expected and there was no fault.
    pub fn is_green(&self) -> bool {
        self.run.faults.is_empty() && self.is_as_expected()
    }

    /// Returns true if the transcript is as expected, even if there was a fault.
    pub fn is_as_expected(&self) -> bool {
        self.run.transcript.trim_end() == self.expected.trim_end()
    }

    /// Returns true if the verdict is red because the body of this exercise is missing. Returns
    /// false if the missing body belongs to a different exercise.
    pub(crate) fn is_not_written(&self, exercise: &Exercise) -> bool {
        match self.run.faults.first() {
            Some(Fault::NotWritten(panic)) => is_of(panic, exercise),
            _ => false,
        }
    }

    /// Returns true if the first fault is that the run reached a `todo!`.
    pub fn stops_at_a_todo(&self) -> bool {
        matches!(self.run.faults.first(), Some(Fault::NotWritten(_)))
    }

    /// Returns the first sign of a mistake: the first fault's sentence or, without a fault, the
    /// first line of the page's transcript that isn't as expected. The result is empty if there's
    /// no such line.
    pub fn first_wrong_line(&self) -> String {
        if let Some(fault) = self.run.faults.first() {
            return fault.to_string();
        }
        let mut expected = self.expected.lines();
        let mut yours = self.run.transcript.lines();
        let wrong = yours.find(|line| expected.next() != Some(line));
        wrong.unwrap_or_default().to_owned()
    }

    /// Returns the expected line in the place of [that line](Verdict::first_wrong_line). The result
    /// is empty if there's a fault or no more line is expected.
    pub fn first_missing_line(&self) -> &str {
        let mut yours = self.run.transcript.lines();
        let mut expected = self.expected.lines().filter(|_| self.run.faults.is_empty());
        expected.find(|line| yours.next() != Some(line)).unwrap_or_default()
    }

    /// Returns sentences about the given faults and, unless a fault other than a leak explains it,
    /// about a transcript that isn't as expected, with the causes first.
    pub fn sentences_of(&self, faults: &[Fault]) -> Vec<String> {
        let mut sentences: Vec<String> = faults.iter().map(Fault::to_string).collect();
        let only_leaks = faults.iter().all(|fault| matches!(fault, Fault::Leaks(_)));
        if only_leaks && !self.is_as_expected() {
            sentences.insert(0, self.about_the_transcript().to_owned());
        }
        sentences
    }

    /// Returns a sentence that describes the mistake, or `as expected` if there's none.
    pub fn sentence(&self) -> String {
        match self.sentences_of(&self.run.faults) {
            sentences if sentences.is_empty() => "as expected".to_owned(),
            sentences => sentences.join("; and "),
        }
    }

    fn about_the_transcript(&self) -> &'static str {
        match self.check.kind {
            CheckKind::Scene if self.is_stuck() => "ran to its end, but lines are missing",
            CheckKind::Scene => "ran to its end, but its transcript isn't as expected",
            CheckKind::Trial => "doesn't do what the reference does",
        }
    }

    /// Returns advice about the mistake to look for if descriptors are still open. `step` is the
    /// step of the scene or trial.
    pub fn advice(&self, step: &Step) -> Option<&'static str> {
        if self.only_leaks() {
            return Some(
                "A leaked descriptor was never closed: look for a raw descriptor without an owner, \
                 or for an owner that your code forgets, keeps in a table, or holds in a cycle of \
                 `Rc`s.",
            );
        }
        (self.is_stuck() && step.has_tasks()).then_some(
            "Perhaps a task or a callback waits for a wake-up that never comes: then its lines are \
             missing, and its values are never dropped.",
        )
    }

    /// Returns true if the only mistake is that descriptors were left open.
    fn only_leaks(&self) -> bool {
        self.is_as_expected() && matches!(self.run.faults.as_slice(), [Fault::Leaks(_)])
    }

    /// Returns true if lines are missing, no line is wrong, and descriptors are still open. That's
    /// what happens if a task or a callback waits for a wake-up that never comes: it says nothing
    /// more, and its values are never dropped.
    pub(crate) fn is_stuck(&self) -> bool {
        matches!(self.run.faults.as_slice(), [Fault::Leaks(_)]) && self.only_lacks_lines()
    }

    /// Returns true if the first fault is that the scene or trial was still running when its time
    /// was up. A suspended process doesn't count.
    pub fn did_not_end(&self) -> bool {
        use Fault::{Asleep, Busy, Slow};
        matches!(self.run.faults.first(), Some(Busy { .. } | Asleep { .. } | Slow { .. }))
    }

    /// Returns true if lines are missing and no line is wrong.
    pub(crate) fn only_lacks_lines(&self) -> bool {
        let mut expected = self.expected.lines();
        let mut yours = self.run.transcript.lines();
        !self.is_as_expected() && yours.all(|line| expected.any(|it| it == line))
    }
}

/// Returns true if a panic is the `todo!` of an exercise's starter.
pub fn is_of(panic: &Panic, exercise: &Exercise) -> bool {
    panic.message.contains(&format!("exercise {}: ", exercise.number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbook::Workbook;

    fn verdict(expected: &str, transcript: &str) -> Verdict {
        let check = Check {
            kind: CheckKind::Scene,
            name: "a_scene",
            about: "a question",
            programs: 1,
            asks_for_order: false,
        };
        let run = SceneRun {
            transcript: transcript.to_owned(),
            programs: Vec::new(),
            moments: Vec::new(),
            printed: String::new(),
            cut: 0,
            faults: Vec::new(),
            caught: Vec::new(),
        };
        Verdict { check, expected: expected.to_owned(), run }
    }

    #[test]
    fn the_wrong_line_and_the_missing_line_are_in_the_same_place() {
        let lines_of = |expected, transcript| {
            let verdict = verdict(expected, transcript);
            (verdict.first_wrong_line(), verdict.first_missing_line().to_owned())
        };
        let pair = |wrong: &str, missing: &str| (wrong.to_owned(), missing.to_owned());
        assert_eq!(lines_of("a\nb\nc\n", "a\nc\n"), pair("c", "b"));
        assert_eq!(lines_of("a\nb\n", "a\n"), pair("", "b"));
        assert_eq!(lines_of("a\n", "a\nb\n"), pair("b", ""));
        assert_eq!(lines_of("a\n", "a\n"), pair("", ""));
    }

    /// Returns the verdict on a scene that left a pipe open.
    fn leaks(expected: &str, transcript: &str) -> Verdict {
        let mut verdict = verdict(expected, transcript);
        verdict.run.faults.push(Fault::Leaks(vec!["a pipe".to_owned()]));
        verdict
    }

    #[test]
    fn a_scene_whose_lines_are_missing_is_not_said_to_have_a_task_that_waits() {
        let stuck = leaks("a\nb\n", "a\n");
        assert!(stuck.is_stuck());
        let said = "ran to its end, but lines are missing; and leaks a descriptor: a pipe";
        assert_eq!(stuck.sentence(), said);
    }

    #[test]
    fn advice_names_only_what_the_step_has() {
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        let in_step = |package| Step::without_checks(&workbook, package).unwrap();
        let stuck = leaks("a\nb\n", "a\n");
        for without_tasks in ["step01_fd", "step05_selfpipe"] {
            assert_eq!(stuck.advice(&in_step(without_tasks)), None);
        }
        for with_tasks in ["step06_tasks", "step07_full_loop", "asyncio"] {
            let advice = stuck.advice(&in_step(with_tasks)).unwrap();
            assert!(advice.starts_with("Perhaps a task"), "{advice}");
        }
        let advice = leaks("a\n", "a\n").advice(&in_step("step01_fd")).unwrap();
        assert!(advice.contains("a raw descriptor"), "{advice}");
    }
}
