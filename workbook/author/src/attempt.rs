//! Attempts at a page: with no bodies written, with an answer, and with the reference's bodies
//! restored.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use super::body::{Body, Expected};
use super::described::has_the_checks_of;
use super::documents::{self, Answer, Bug};
use super::empty_notebook;
use super::together::Together;

use exercises::Exercise;
use judging::Step;
use judging::cargo::{Built, Messages, build};
use judging::judge::{Judgement, judge};
use judging::keys;
use judging::notebook::Notebook;
use judging::notebook::page::Page;
use judging::step::Check;
use judging::terminal::Terminal;
use judging::verdict::{Effort, Verdict};
use judging::workbook::{Workbook, read};
use runner::report::Report;

/// A step with a page for trying out answers to its exercises.
pub(crate) struct Attempt<'a> {
    step: &'a Step,
    page: Page,
}

impl<'a> Attempt<'a> {
    /// Opens the page in an empty notebook with this name in `target/`. Fails if an exercise isn't
    /// in the reference.
    pub(crate) fn begin_in(step: &'a Step, notebook: &str) -> anyhow::Result<Attempt<'a>> {
        let workbook = Workbook::of(step.manifest_dir)?;
        Attempt::begin(step, &empty_notebook(workbook, notebook)?)
    }

    /// Opens the page. Fails if an exercise isn't in the reference.
    pub(crate) fn begin(step: &'a Step, notebook: &Notebook) -> anyhow::Result<Attempt<'a>> {
        let (page, _) = notebook.open(step)?;
        Ok(Attempt { step, page })
    }

    pub(crate) fn page(&self) -> &Page {
        &self.page
    }

    /// Checks that there are enough scenes and exercises, that each scene has a snapshot, that each
    /// document of answers belongs to an exercise, that at least one scene judges each exercise,
    /// that the scenes and trials named by an exercise exist, and that each nudge names one of
    /// them.
    pub(crate) fn is_complete(&self) -> anyhow::Result<()> {
        let Step { scenes, exercises, .. } = self.step;
        ensure!(scenes.len() >= 4, "the step has {} scenes, but needs 4", scenes.len());
        ensure!(exercises.len() >= 2, "the step has {} exercises, but needs 2", exercises.len());
        let names: Vec<&str> = exercises.iter().map(|exercise| &*exercise.name).collect();
        documents::belong_to(&self.answers(), &names)?;
        for scene in *scenes {
            keys::of(self.step, scene.name)?;
        }
        for exercise in *exercises {
            let name = &exercise.name;
            ensure!(!exercise.scenes.is_empty(), "no scene judges {name}");
            has_the_checks_of(self.step, exercise)?;
            for nudge in &exercise.nudges {
                let mut checks = self.step.checks_of(exercise);
                let is_known = checks.any(|check| check.name == nudge.at);
                ensure!(is_known, "{name} has a nudge at {}, which doesn't judge it", nudge.at);
            }
        }
        Ok(())
    }

    pub(crate) fn starter_compiles(&self) -> anyhow::Result<()> {
        self.program().map(drop)
    }

    /// Builds the page and returns the path of its program. Fails if the page doesn't compile or
    /// compiles with warnings.
    fn program(&self) -> anyhow::Result<PathBuf> {
        match build(&self.page, Messages::Kept)? {
            Built::Program(program, messages) if messages.trim().is_empty() => Ok(program),
            Built::Program(_, messages) => bail!("there are warnings:\n{messages}"),
            Built::DoesNotCompile(messages) => bail!("doesn't compile:\n{messages}"),
        }
    }

    /// Returns all bodies to try for an exercise: the starter's body, the last hint's body if it
    /// isn't the reference's, the answers, and the reference's body.
    pub(crate) fn bodies(&self, exercise: &Exercise) -> anyhow::Result<Vec<Body>> {
        let mut bodies = vec![Body::of_the_starter(self.page.body(exercise)?)];
        bodies.extend(exercise.body.clone().map(Body::of_the_last_hint));
        bodies.extend(self.answers_to(exercise)?.into_iter().map(Body::of_an_answer));
        let solution = &self.page.exercise(exercise)?.solution;
        bodies.push(Body::of_the_reference(solution.body.clone()));
        Ok(bodies)
    }

    /// Builds one program with all bodies for some exercises. Returns `None` if the bodies don't
    /// compile together.
    pub(crate) fn together(
        &mut self,
        exercises: &[(&Exercise, &[Body])],
    ) -> anyhow::Result<Option<Together>> {
        Together::build(&mut self.page, exercises)
    }

    /// Tries a body on the page and then restores the page. Fails unless the scenes and trials give
    /// the expected verdict.
    pub(crate) fn try_alone(&mut self, exercise: &Exercise, body: &Body) -> anyhow::Result<()> {
        let (index, before) = self.page.set_body(exercise, &body.text)?;
        let result = self.program().and_then(|program| self.fits(exercise, body, &program));
        self.page.set_text(index, before)?;
        result
    }

    /// Checks that the scenes and trials give the expected verdict on a body. `program` is the
    /// page's program with that body.
    pub(crate) fn fits(
        &self,
        exercise: &Exercise,
        body: &Body,
        program: &Path,
    ) -> anyhow::Result<()> {
        match body.expected {
            Expected::NotWritten => self.is_not_written(exercise, program),
            Expected::Green => (0..repeats())
                .try_for_each(|_| self.are_green(self.step.checks_of(exercise), program)),
            Expected::Red => self.is_red(exercise, body, program),
        }
    }

    /// Checks that each of the exercise's scenes and trials is red because of the exercise's own
    /// `todo!`.
    fn is_not_written(&self, exercise: &Exercise, program: &Path) -> anyhow::Result<()> {
        let own = format!("not written yet: exercise {}: ", exercise.number);
        for check in self.step.checks_of(exercise) {
            let sentence = check.verdict(&self.page, program, effort())?.sentence();
            ensure!(sentence.starts_with(&own), "{}: {sentence}", check.name);
        }
        Ok(())
    }

    fn are_green(
        &self,
        mut checks: impl Iterator<Item = Check>,
        program: &Path,
    ) -> anyhow::Result<()> {
        checks.try_for_each(|check| {
            let verdict = check.verdict(&self.page, program, effort())?;
            ensure!(verdict.is_green(), "{}", described(&verdict));
            Ok(())
        })
    }

    /// Checks that a scene or a trial rejects a wrong answer and that the verdict contains the
    /// words that the answer expects. For a bug, first checks the verdict that the document
    /// records.
    fn is_red(&self, exercise: &Exercise, body: &Body, program: &Path) -> anyhow::Result<()> {
        if let Some(bug) = &body.bug {
            self.is_told(exercise, bug, program)?;
        }
        let expected = body.words.as_deref();
        let mut red = Vec::new();
        for check in self.step.checks_of(exercise) {
            let verdict = check.verdict(&self.page, program, body.effort())?;
            if verdict.is_green() {
                continue;
            }
            if verdict.stops_at_a_todo() {
                bail!("needs an exercise that isn't written yet: {}", described(&verdict));
            }
            red.push(described(&verdict));
            if expected.is_none_or(|expected| red.iter().any(|it| it.contains(expected))) {
                return Ok(());
            }
        }
        ensure!(!red.is_empty(), "neither a scene nor a trial sees that it's wrong");
        bail!("`{}` is not in\n{}", expected.unwrap_or_default(), red.join("\n"))
    }

    /// Checks that a reader gets the verdict that the document records for a bug.
    fn is_told(&self, exercise: &Exercise, bug: &Bug, program: &Path) -> anyhow::Result<()> {
        let mut checks = self.step.checks_of(exercise);
        let check = checks.find(|check| check.name == bug.shown_by);
        let check = check.with_context(|| format!("`{}` doesn't judge it", bug.shown_by))?;
        let told = self.told_by(check, program)?.unwrap_or_default();
        ensure!(
            told == bug.told,
            "a reader is told something else (`cargo run -p author -- hunt STEP` records it):\n{told}"
        );
        Ok(())
    }

    /// Returns the verdict that a reader gets from a scene or a trial, or `None` if the verdict is
    /// green.
    pub(super) fn told_by(&self, check: Check, program: &Path) -> anyhow::Result<Option<String>> {
        let effort = Effort {
            patience: PATIENCE_WITH_A_READER,
            time_to_shorten: TIME_ON_A_BUSY_MACHINE,
            ..Effort::for_a_reader()
        };
        let verdict = check.verdict(&self.page, program, effort)?;
        let report = Report { terminal: &Terminal::PLAIN, page: &self.page };
        let told = report.verdict(&verdict);
        let lines = told.trim().lines().map(|line| line.strip_prefix("  ").unwrap_or(line));
        let told = lines.fold(String::new(), |text, line| text + line + "\n");
        Ok((!verdict.is_green()).then_some(told))
    }

    /// Judges the page with a different body for an exercise, as a reader's run would, and then
    /// restores the page. Returns `None` if the page doesn't compile.
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

    pub(crate) fn put_all_back(&mut self) -> anyhow::Result<()> {
        self.step.exercises.iter().try_for_each(|exercise| self.put_back(exercise))
    }

    pub(crate) fn put_back(&mut self, exercise: &Exercise) -> anyhow::Result<()> {
        let body = self.page.exercise(exercise)?.solution.body.clone();
        self.page.set_body(exercise, &body).map(drop)
    }

    /// Tries answers to all exercises together. Fails unless all of the step's scenes and trials
    /// are green.
    pub(crate) fn suit_the_step(&mut self, answers: &[(&Exercise, &str)]) -> anyhow::Result<()> {
        let mut before = Vec::new();
        for (exercise, body) in answers {
            before.push(self.page.set_body(exercise, body)?);
        }
        let result = self.program().and_then(|program| self.every_scene_is_green(&program));
        // We restore the texts in reverse order, because one file can contain several exercises.
        for (index, text) in before.into_iter().rev() {
            self.page.set_text(index, text)?;
        }
        result
    }

    /// Checks that all of a program's scenes and trials are green, including scenes that judge no
    /// exercise.
    pub(crate) fn every_scene_is_green(&self, program: &Path) -> anyhow::Result<()> {
        let all = self.step.scenes.iter().chain(self.step.trials).copied();
        self.are_green(all, program)
    }

    pub(crate) fn is_the_reference(&self) -> anyhow::Result<()> {
        for (name, text) in self.page.notebook.reference_for(self.step.package)? {
            let path = self.page.dir().join("src").join(&name);
            ensure!(read(&path)? == text, "{} differs", name.display());
        }
        Ok(())
    }

    /// Reads the known answers to an exercise.
    pub(super) fn answers_to(&self, exercise: &Exercise) -> anyhow::Result<Vec<Answer>> {
        documents::read_document(&self.document_of(exercise))
    }

    /// Returns the file with the known answers to an exercise.
    pub(crate) fn document_of(&self, exercise: &Exercise) -> PathBuf {
        self.answers().join(format!("{}.md", exercise.name))
    }

    fn answers(&self) -> PathBuf {
        self.page.notebook.workbook.step(self.step.package).join("tests/answers")
    }
}

/// The default time limit in a reader's own run. It applies to the verdicts that a document
/// records, even if `WORKBOOK_PATIENCE` sets a different limit or other checks of the same body
/// have a shorter one.
const PATIENCE_WITH_A_READER: Duration = Duration::from_secs(5);
/// Long enough to find the program that a reader's machine with nothing else to do finds in a
/// second and a half, since a document records it.
const TIME_ON_A_BUSY_MACHINE: Duration = Duration::from_mins(1);

/// Returns the number of times that a correct body has to pass: once, unless `WORKBOOK_REPEATS`
/// sets a different number.
fn repeats() -> u32 {
    let times = std::env::var("WORKBOOK_REPEATS").ok();
    times.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Returns the effort for the verdict on a body. The reference doesn't change between two bodies,
/// so it doesn't have to run again for each body.
pub(super) fn effort() -> Effort {
    Effort { trusts_a_kept_run: true, ..Effort::for_a_check() }
}

/// Formats a verdict with its transcript.
pub(super) fn described(verdict: &Verdict) -> String {
    let Verdict { check, run, .. } = verdict;
    format!("{}: {}\n{}", check.name, verdict.sentence(), run.transcript)
}
