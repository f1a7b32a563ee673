//! Attempts at a page: with nothing written, with an answer in it, and with every body put back.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};

use crate::cargo::{Built, Messages, build};
use crate::commands;
use crate::notebook::Notebook;
use crate::notebook::page::{Page, read_sources};
use crate::verdict::{Check, Verdict};
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

    fn verdicts(&self, checks: impl Iterator<Item = Check>) -> anyhow::Result<Vec<Verdict>> {
        let program = self.program()?;
        checks.map(|check| check.verdict(&self.page, &program)).collect()
    }

    /// Checks that every scene of the exercise is red because of the exercise's own `todo!`.
    pub(crate) fn is_not_written(&self, exercise: &Exercise) -> anyhow::Result<()> {
        let own = format!("not written yet: exercise {}: ", exercise.number);
        for verdict in self.verdicts(self.page.checks_of(exercise))? {
            let sentence = verdict.sentence();
            ensure!(sentence.starts_with(&own), "{}: {sentence}", verdict.check.name());
        }
        Ok(())
    }

    pub(crate) fn is_green(&self, exercise: &Exercise) -> anyhow::Result<()> {
        for verdict in self.verdicts(self.page.checks_of(exercise))? {
            ensure!(verdict.is_green(), "{}", described(&verdict));
        }
        Ok(())
    }

    /// Checks that some scene rejects a wrong answer. The answer's first line can give words that
    /// the rejection must contain.
    fn is_red(&self, exercise: &Exercise, answer: &str) -> anyhow::Result<()> {
        let verdicts = self.verdicts(self.page.checks_of(exercise))?;
        let mut red = verdicts.iter().filter(|verdict| !verdict.is_green()).peekable();
        ensure!(red.peek().is_some(), "no scene sees that it's wrong");
        if let Some(verdict) = verdicts.iter().find(|verdict| verdict.stops_at_a_todo()) {
            bail!("needs an exercise that isn't written yet: {}", described(verdict));
        }
        let first_line = answer.lines().next().unwrap_or_default().trim();
        if let Some(expected) = first_line.strip_prefix("// expect: ") {
            let all: Vec<String> = red.map(described).collect();
            let found = all.iter().any(|text| text.contains(expected));
            ensure!(found, "`{expected}` is not in\n{}", all.join("\n"));
        }
        Ok(())
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
        for verdict in self.verdicts(scenes.chain(self.step.trials.iter().map(Check::Trial)))? {
            ensure!(verdict.is_green(), "{}", described(&verdict));
        }
        Ok(())
    }

    pub(crate) fn is_the_reference(&self) -> anyhow::Result<()> {
        let reference = self.page.notebook.workbook.step(self.step.package).join("src");
        for (name, text) in read_sources(&reference)? {
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

/// Formats a verdict with its transcript.
fn described(verdict: &Verdict) -> String {
    let Verdict { check, run, .. } = verdict;
    format!("{}: {}\n{}", check.name(), verdict.sentence(), run.transcript)
}

fn is_wrong(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("wrong_"))
}
