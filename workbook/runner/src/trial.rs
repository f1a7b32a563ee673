//! Trials of a page: written, not written, or with somebody's answer in it.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use crate::cargo::{Built, Messages, build};
use crate::commands;
use crate::judge::scenes_of;
use crate::notebook::Notebook;
use crate::place::{Place, reference_file};
use crate::root::{read, write};
use crate::source::{Function, layer_files};
use crate::verdict::Verdict;
use scene::{Exercise, Step};

/// A step, and a page of it to try things on.
pub(crate) struct Trial<'a> {
    pub(crate) step: &'a Step,
    pub(crate) notebook: Notebook,
}

impl Trial<'_> {
    /// Enough scenes, exercises and hints, and every name means something.
    pub(crate) fn is_complete(&self) -> anyhow::Result<()> {
        let Step { scenes, exercises, .. } = self.step;
        ensure!(scenes.len() >= 4, "{} scenes, and 4 are wanted", scenes.len());
        ensure!(exercises.len() >= 2, "{} exercises, and 2 are wanted", exercises.len());
        for scene in *scenes {
            crate::verdict::answer_key(&self.notebook.step(self.step.package), scene.name)?;
        }
        for exercise in *exercises {
            let name = exercise.name;
            let hints = exercise.hints.iter().filter(|hint| !hint.trim().is_empty()).count();
            ensure!(hints == 3, "{name} has {hints} hints, and 3 are wanted");
            ensure!(!exercise.scenes.is_empty(), "no scene judges {name}");
            for scene in exercise.scenes {
                commands::scene(self.step, scene)?;
            }
            reference_file(&self.notebook, self.step.package, exercise)?;
        }
        Ok(())
    }

    pub(crate) fn starter_compiles(&self) -> anyhow::Result<()> {
        self.notebook.open(self.step)?;
        self.program().map(drop)
    }

    /// Builds the page; a warning is an error.
    fn program(&self) -> anyhow::Result<PathBuf> {
        match build(&self.notebook, self.step.package, Messages::Kept)? {
            Built::Program(program, said) if said.trim().is_empty() => Ok(program),
            Built::Program(_, said) => bail!("there are warnings:\n{said}"),
            Built::DoesNotCompile(said) => bail!("does not compile:\n{said}"),
        }
    }

    fn verdicts(&self, exercise: &Exercise) -> anyhow::Result<Vec<Verdict>> {
        let program = self.program()?;
        let dir = self.notebook.step(self.step.package);
        scenes_of(self.step, exercise).map(|scene| Verdict::of(&program, scene, &dir)).collect()
    }

    /// Every scene of the exercise is red because of the exercise's own `todo!`.
    pub(crate) fn is_not_written(&self, exercise: &Exercise) -> anyhow::Result<()> {
        let own = format!("not written yet: exercise {}: ", exercise.number);
        for verdict in self.verdicts(exercise)? {
            let sentence = verdict.sentence();
            ensure!(sentence.starts_with(&own), "{}: {sentence}", verdict.scene.name);
        }
        Ok(())
    }

    pub(crate) fn is_green(&self, exercise: &Exercise) -> anyhow::Result<()> {
        for verdict in self.verdicts(exercise)? {
            ensure!(verdict.is_green(), "{}", told(&verdict));
        }
        Ok(())
    }

    /// A wrong answer: some scene must see it, and the first line may say how.
    fn is_red(&self, exercise: &Exercise, answer: &str) -> anyhow::Result<()> {
        let verdicts = self.verdicts(exercise)?;
        let mut red = verdicts.iter().filter(|verdict| !verdict.is_green()).peekable();
        ensure!(red.peek().is_some(), "no scene sees that it is wrong");
        if let Some(verdict) = verdicts.iter().find(|verdict| verdict.stops_at_a_todo()) {
            bail!("needs what is not written yet: {}", told(verdict));
        }
        let first_line = answer.lines().next().unwrap_or_default().trim();
        if let Some(expected) = first_line.strip_prefix("// expect: ") {
            let all: Vec<String> = red.map(told).collect();
            let found = all.iter().any(|told| told.contains(expected));
            ensure!(found, "`{expected}` is not in\n{}", all.join("\n"));
        }
        Ok(())
    }

    pub(crate) fn answer(&self, exercise: &Exercise, file: &Path) -> anyhow::Result<()> {
        let answer = read(file)?;
        let before = self.write_answer(exercise, &answer)?;
        let result =
            if is_wrong(file) { self.is_red(exercise, &answer) } else { self.is_green(exercise) };
        write(&before.file, &before.page)?;
        result
    }

    pub(crate) fn put_back(&self, exercise: &Exercise) -> anyhow::Result<()> {
        let reference = read(&reference_file(&self.notebook, self.step.package, exercise)?)?;
        let answer = Function::find(&reference, exercise.name)?.context("no such exercise")?;
        self.write_answer(exercise, answer.body()).map(drop)
    }

    /// Answers to all exercises together: every scene of the step is green, though it may judge
    /// none of them.
    pub(crate) fn suit_the_step(&self, answers: &[(&Exercise, &Path)]) -> anyhow::Result<()> {
        let mut before = Vec::new();
        for (exercise, file) in answers {
            before.push(self.write_answer(exercise, &read(file)?)?);
        }
        let result = self.every_scene_is_green();
        // Backwards, for several answers may stand in one file.
        for Before { file, page } in before.iter().rev() {
            write(file, page)?;
        }
        result
    }

    fn every_scene_is_green(&self) -> anyhow::Result<()> {
        let program = self.program()?;
        let dir = self.notebook.step(self.step.package);
        for scene in self.step.scenes {
            let verdict = Verdict::of(&program, scene, &dir)?;
            ensure!(verdict.is_green(), "{}", told(&verdict));
        }
        Ok(())
    }

    /// Writes the body of an exercise into the page, and returns what stood there.
    fn write_answer(&self, exercise: &Exercise, body: &str) -> anyhow::Result<Before> {
        let file = Place::of(&self.notebook, self.step.package, exercise)?.file;
        let page = read(&file)?;
        let function = Function::find(&page, exercise.name)?.context("no such exercise")?;
        write(&file, &function.with_body(body))?;
        Ok(Before { file, page })
    }

    pub(crate) fn is_the_reference(&self) -> anyhow::Result<()> {
        let reference = self.notebook.step(self.step.package).join("src");
        let page = self.notebook.page(self.step.package).join("src");
        for source in layer_files(&reference)? {
            let same = read(&reference.join(&source))? == read(&page.join(&source))?;
            ensure!(same, "{} differs", source.display());
        }
        Ok(())
    }
}

/// A file of the page, and what stood in it.
struct Before {
    file: PathBuf,
    page: String,
}

fn told(verdict: &Verdict) -> String {
    let Verdict { scene, performance, .. } = verdict;
    format!("{}: {}\n{}", scene.name, verdict.sentence(), performance.transcript)
}

/// Whether an answer is meant to be wrong.
pub(crate) fn is_wrong(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("wrong_"))
}
