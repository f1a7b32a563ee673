//! Attempts at a page: with nothing written, with an answer in it, and with every body put back.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{bail, ensure};

use crate::cargo::{Built, Messages, build};
use crate::commands;
use crate::judge::{Judgement, judge};
use crate::notebook::Notebook;
use crate::notebook::page::Page;
use crate::verdict::{Check, Effort, Verdict};
use crate::workbook::read;
use scene::{Exercise, Step};

/// A step, and a page of it for trying out answers.
pub(crate) struct Attempt<'a> {
    step: &'a Step,
    page: Page,
}

impl Attempt<'_> {
    /// Opens the page. Fails if an exercise isn't in the reference.
    pub(crate) fn begin<'a>(step: &'a Step, notebook: &Notebook) -> anyhow::Result<Attempt<'a>> {
        let (page, _) = notebook.open(step)?;
        Ok(Attempt { step, page })
    }

    /// Checks that there are enough scenes, exercises and hints, that each scene has a snapshot,
    /// and that each exercise names existing scenes.
    pub(crate) fn is_complete(&self) -> anyhow::Result<()> {
        let Step { scenes, exercises, .. } = self.step;
        ensure!(scenes.len() >= 4, "the step has {} scenes, but needs 4", scenes.len());
        ensure!(exercises.len() >= 2, "the step has {} exercises, but needs 2", exercises.len());
        for scene in *scenes {
            self.page.expected(scene)?;
        }
        for exercise in *exercises {
            let name = exercise.name;
            let hints = exercise.hints.iter().filter(|hint| !hint.trim().is_empty()).count();
            ensure!(hints == 3, "{name} has {hints} hints, but needs 3");
            ensure!(!exercise.scenes.is_empty(), "no scene judges {name}");
            for scene in exercise.scenes {
                commands::scene(self.step, scene)?;
            }
            for trial in exercise.trials {
                commands::trial(self.step, trial)?;
            }
        }
        Ok(())
    }

    pub(crate) fn starter_compiles(&self) -> anyhow::Result<()> {
        self.program().map(drop)
    }

    /// Builds the page. Fails if it doesn't compile, or compiles with warnings.
    fn program(&self) -> anyhow::Result<PathBuf> {
        match build(&self.page, Messages::Kept)? {
            Built::Program(program, messages) if messages.trim().is_empty() => Ok(program),
            Built::Program(_, messages) => bail!("there are warnings:\n{messages}"),
            Built::DoesNotCompile(messages) => bail!("doesn't compile:\n{messages}"),
        }
    }

    /// Builds the page, and returns the verdicts one by one, so that those that nobody asks for cost
    /// nothing.
    fn verdicts(
        &self,
        checks: impl Iterator<Item = Check>,
        effort: Effort,
    ) -> anyhow::Result<impl Iterator<Item = anyhow::Result<Verdict>>> {
        let program = self.program()?;
        Ok(checks.map(move |check| check.verdict(&self.page, &program, effort)))
    }

    /// Checks that every scene and trial of the exercise is red because of the exercise's own
    /// `todo!`.
    pub(crate) fn is_not_written(&self, exercise: &Exercise) -> anyhow::Result<()> {
        let own = format!("not written yet: exercise {}: ", exercise.number);
        for verdict in self.verdicts(self.page.checks_of(exercise), Effort::for_a_check())? {
            let verdict = verdict?;
            let sentence = verdict.sentence();
            ensure!(sentence.starts_with(&own), "{}: {sentence}", verdict.check.name());
        }
        Ok(())
    }

    pub(crate) fn is_green(&self, exercise: &Exercise) -> anyhow::Result<()> {
        self.are_green(self.page.checks_of(exercise))
    }

    fn are_green(&self, checks: impl Iterator<Item = Check>) -> anyhow::Result<()> {
        for verdict in self.verdicts(checks, Effort::for_a_check())? {
            let verdict = verdict?;
            ensure!(verdict.is_green(), "{}", described(&verdict));
        }
        Ok(())
    }

    /// Checks that a scene or a trial rejects a wrong answer, whose first lines can say more: see
    /// [`Remarks`].
    fn is_red(&self, exercise: &Exercise, answer: &str) -> anyhow::Result<()> {
        let remarks = Remarks::of(answer);
        let mut red = Vec::new();
        for verdict in self.verdicts(self.page.checks_of(exercise), remarks.effort())? {
            let verdict = verdict?;
            if verdict.is_green() {
                continue;
            }
            if verdict.stops_at_a_todo() {
                bail!("needs an exercise that isn't written yet: {}", described(&verdict));
            }
            red.push(described(&verdict));
            if remarks.expects.is_none_or(|expected| red.iter().any(|it| it.contains(expected))) {
                return Ok(());
            }
        }
        ensure!(!red.is_empty(), "neither a scene nor a trial sees that it's wrong");
        bail!("`{}` is not in\n{}", remarks.expects.unwrap_or_default(), red.join("\n"))
    }

    /// Tries an answer, then restores the page.
    pub(crate) fn answer(&mut self, exercise: &Exercise, file: &Path) -> anyhow::Result<()> {
        let answer = read(file)?;
        let (index, before) = self.page.set_body(exercise, &answer)?;
        let result =
            if is_wrong(file) { self.is_red(exercise, &answer) } else { self.is_green(exercise) };
        self.page.set_text(index, before)?;
        result
    }

    /// Judges the page with another body for an exercise, as for a reader, and restores it. Returns
    /// `None` if it doesn't compile.
    pub(crate) fn judged_with(
        &mut self,
        exercise: &Exercise,
        answer: &str,
    ) -> anyhow::Result<Option<Judgement>> {
        let (index, before) = self.page.set_body(exercise, answer)?;
        let judgement = match build(&self.page, Messages::Kept)? {
            Built::Program(program, _) => Some(judge(&self.page, &program)?),
            Built::DoesNotCompile(_) => None,
        };
        self.page.set_text(index, before)?;
        Ok(judgement)
    }

    /// Checks that the last hint is a body that compiles and is right, and that each nudge is about
    /// a scene or a trial of the exercise.
    pub(crate) fn hints_help(&mut self, exercise: &Exercise) -> anyhow::Result<()> {
        for nudge in exercise.nudges {
            let mut checks = self.page.checks_of(exercise);
            ensure!(checks.any(|check| check.name() == nudge.at), "no scene or trial {}", nudge.at);
        }
        let last = exercise.hints.last().copied().unwrap_or_default();
        let (index, before) = self.page.set_body(exercise, last)?;
        let result = self.is_green(exercise);
        self.page.set_text(index, before)?;
        result
    }

    pub(crate) fn put_back(&mut self, exercise: &Exercise) -> anyhow::Result<()> {
        let body = self.page.exercise(exercise)?.solution.body.clone();
        self.page.set_body(exercise, &body).map(drop)
    }

    /// Tries answers to all exercises together: every scene of the step has to be green, even one
    /// that judges no exercise.
    pub(crate) fn suit_the_step(&mut self, answers: &[(&Exercise, &Path)]) -> anyhow::Result<()> {
        let mut before = Vec::new();
        for (exercise, file) in answers {
            before.push(self.page.set_body(exercise, &read(file)?)?);
        }
        let result = self.every_scene_is_green();
        // In reverse order, because one file can contain several exercises.
        for (index, text) in before.into_iter().rev() {
            self.page.set_text(index, text)?;
        }
        result
    }

    fn every_scene_is_green(&self) -> anyhow::Result<()> {
        let scenes = self.step.scenes.iter().map(Check::Scene);
        self.are_green(scenes.chain(self.step.trials.iter().map(Check::Trial)))
    }

    pub(crate) fn is_the_reference(&self) -> anyhow::Result<()> {
        for (name, text) in self.page.notebook.reference_for(self.step.package)? {
            let path = self.page.dir().join("src").join(&name);
            ensure!(read(&path)? == text, "{} differs", name.display());
        }
        Ok(())
    }

    /// Returns the directory with the known answers to an exercise.
    pub(crate) fn answers_to(&self, exercise: &Exercise) -> PathBuf {
        let step = self.page.notebook.workbook.step(self.step.package);
        step.join("tests/answers").join(exercise.name)
    }
}

/// What the first lines of an answer say about it, each in a comment of its own.
struct Remarks<'a> {
    /// `// hangs`: a scene or a trial never ends with it, so we wait only a moment.
    hangs: bool,
    /// `// expect: TEXT`: words that a rejection must contain.
    expects: Option<&'a str>,
}

/// How long we wait for an answer that is known to hang. All scenes and trials normally take less.
const KNOWN_TO_HANG: Duration = Duration::from_secs(1);

impl<'a> Remarks<'a> {
    fn of(answer: &'a str) -> Self {
        let comments = || answer.lines().map_while(|line| line.trim().strip_prefix("// "));
        Remarks {
            hangs: comments().any(|comment| comment == "hangs"),
            expects: comments().find_map(|comment| comment.strip_prefix("expect: ")),
        }
    }

    fn effort(&self) -> Effort {
        let effort = Effort::for_a_check();
        if self.hangs { Effort { patience: KNOWN_TO_HANG, ..effort } } else { effort }
    }
}

/// Formats a verdict with its transcript.
fn described(verdict: &Verdict) -> String {
    let Verdict { check, run, .. } = verdict;
    format!("{}: {}\n{}", check.name(), verdict.sentence(), run.transcript)
}

fn is_wrong(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("wrong_"))
}
