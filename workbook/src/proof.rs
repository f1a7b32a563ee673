//! The checks that prove a step's exercises: the starter is red for the right reason, the reference
//! is green, wrong answers are red, and other right answers are green.
//!
//! They run in a notebook below `target/`, and go through it as a reader would.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};

use crate::cargo::{Built, Messages, build};
use crate::commands;
use crate::judge::scenes_of;
use crate::notebook::{Notebook, read, write};
use crate::place::{Place, reference_file};
use crate::source::{Function, layer_files};
use crate::terminal::Terminal;
use crate::verdict::Verdict;
use crate::{Exercise, Step};

/// Checks one step, and prints a line for each thing that was checked.
pub(crate) fn check(step: &Step) -> anyhow::Result<ExitCode> {
    let root = commands::notebook(step)?.root;
    let notebook = Notebook::at(&root, &root.join("target/proof"));
    clear(&notebook.dir)?;
    let mut proof = Proof {
        step,
        notebook,
        terminal: Terminal::of_stdout(),
        passed: 0,
        failed: 0,
    };
    proof.run();
    let summary = format!(
        "{}: {} passed, {} failed\n",
        step.package, proof.passed, proof.failed
    );
    proof.terminal.print(&summary);
    Ok(if proof.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The notebook is ours, not a reader's: begin with a clean one, but keep what is compiled.
fn clear(dir: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(dir).into_iter().flatten() {
        let path = entry?.path();
        if path.is_dir() && !path.ends_with("target") {
            fs::remove_dir_all(&path).with_context(|| format!("remove {}", path.display()))?;
        } else if path.is_file() {
            fs::remove_file(&path).with_context(|| format!("remove {}", path.display()))?;
        }
    }
    Ok(())
}

struct Proof<'a> {
    step: &'a Step,
    notebook: Notebook,
    terminal: Terminal,
    passed: u32,
    failed: u32,
}

impl Proof<'_> {
    fn run(&mut self) {
        self.tell("is complete", self.is_complete());
        let starter = self.starter_compiles();
        let compiles = starter.is_ok();
        self.tell("starter compiles without a warning", starter);
        if !compiles {
            return;
        }
        for exercise in self.step.exercises {
            let name = format!("{} {}", exercise.number, exercise.name);
            self.tell(
                &format!("{name}: red until it is written"),
                self.is_not_written(exercise),
            );
            self.answers(exercise, &name);
            let written = self
                .put_back(exercise)
                .and_then(|()| self.is_green(exercise));
            self.tell(&format!("{name}: green once it is"), written);
        }
        self.tell(
            "all put back is the reference, byte for byte",
            self.is_the_reference(),
        );
    }

    fn tell(&mut self, what: &str, result: anyhow::Result<()>) {
        let line = match result {
            Ok(()) => {
                self.passed += 1;
                format!("  {} {what}\n", self.terminal.green("✓"))
            }
            Err(error) => {
                self.failed += 1;
                format!("  {} {what}\n      {error:#}\n", self.terminal.red("✗"))
            }
        };
        self.terminal.print(&line);
    }

    /// Enough scenes, exercises and hints, and every name means something.
    fn is_complete(&self) -> anyhow::Result<()> {
        let Step {
            scenes, exercises, ..
        } = self.step;
        ensure!(
            scenes.len() >= 4,
            "{} scenes, and 4 are wanted",
            scenes.len()
        );
        ensure!(
            exercises.len() >= 2,
            "{} exercises, and 2 are wanted",
            exercises.len()
        );
        for scene in *scenes {
            crate::verdict::answer_key(&self.notebook.step(self.step.package), scene.name)?;
        }
        for exercise in *exercises {
            let name = exercise.name;
            let hints = exercise
                .hints
                .iter()
                .filter(|hint| !hint.trim().is_empty())
                .count();
            ensure!(hints == 3, "{name} has {hints} hints, and 3 are wanted");
            ensure!(!exercise.scenes.is_empty(), "no scene judges {name}");
            for scene in exercise.scenes {
                commands::scene(self.step, scene)?;
            }
            reference_file(&self.notebook, self.step.package, exercise)?;
        }
        Ok(())
    }

    fn starter_compiles(&self) -> anyhow::Result<()> {
        self.notebook.open(self.step.package, self.step.exercises)?;
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
        scenes_of(self.step, exercise)
            .map(|scene| Verdict::of(&program, scene, &dir))
            .collect()
    }

    /// Every scene of the exercise is red because of the exercise's own `todo!`.
    fn is_not_written(&self, exercise: &Exercise) -> anyhow::Result<()> {
        let own = format!("not written yet: exercise {}: ", exercise.number);
        for verdict in self.verdicts(exercise)? {
            let sentence = verdict.sentence();
            ensure!(
                sentence.starts_with(&own),
                "{}: {sentence}",
                verdict.scene.name
            );
        }
        Ok(())
    }

    fn is_green(&self, exercise: &Exercise) -> anyhow::Result<()> {
        for verdict in self.verdicts(exercise)? {
            ensure!(verdict.is_green(), "{}", told(&verdict));
        }
        Ok(())
    }

    /// A wrong answer: some scene must see it, and the first line may say how.
    fn is_red(&self, exercise: &Exercise, answer: &str) -> anyhow::Result<()> {
        let verdicts = self.verdicts(exercise)?;
        let mut red = verdicts
            .iter()
            .filter(|verdict| !verdict.is_green())
            .peekable();
        ensure!(red.peek().is_some(), "no scene sees that it is wrong");
        if let Some(verdict) = verdicts.iter().find(|verdict| verdict.is_not_written()) {
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

    /// Tries the answers in `tests/answers/`, and takes each out again.
    fn answers(&mut self, exercise: &Exercise, name: &str) {
        let tests = self.notebook.step(self.step.package).join("tests/answers");
        let files = answer_files(&tests.join(exercise.name));
        for kind in ["wrong_", "right_"] {
            let of_kind = || {
                files
                    .iter()
                    .filter(|file| file_name(file).starts_with(kind))
            };
            if of_kind().next().is_none() {
                let missing = Err(anyhow::anyhow!("none in {}", tests.display()));
                self.tell(&format!("{name}: has a {kind}*.rs answer"), missing);
            }
            for file in of_kind() {
                let colour = if kind == "wrong_" { "red" } else { "green" };
                let result = self.answer(exercise, file);
                self.tell(&format!("{name}: {} is {colour}", file_name(file)), result);
            }
        }
    }

    fn answer(&self, exercise: &Exercise, file: &Path) -> anyhow::Result<()> {
        let answer = read(file)?;
        let place = Place::of(&self.notebook, self.step.package, exercise)?;
        let before = read(&place.file)?;
        let function = Function::find(&before, exercise.name)?.context("no such exercise")?;
        write(&place.file, &function.with_body(&answer))?;
        let result = if file_name(file).starts_with("wrong_") {
            self.is_red(exercise, &answer)
        } else {
            self.is_green(exercise)
        };
        write(&place.file, &before)?;
        result
    }

    fn put_back(&self, exercise: &Exercise) -> anyhow::Result<()> {
        let reference = read(&reference_file(
            &self.notebook,
            self.step.package,
            exercise,
        )?)?;
        let answer = Function::find(&reference, exercise.name)?.context("no such exercise")?;
        let place = Place::of(&self.notebook, self.step.package, exercise)?;
        let page = read(&place.file)?;
        let function = Function::find(&page, exercise.name)?.context("no such exercise")?;
        write(&place.file, &function.with_body(answer.body()))
    }

    fn is_the_reference(&self) -> anyhow::Result<()> {
        let reference = self.notebook.step(self.step.package).join("src");
        let page = self.notebook.page(self.step.package).join("src");
        for source in layer_files(&reference)? {
            let same = read(&reference.join(&source))? == read(&page.join(&source))?;
            ensure!(same, "{} differs", source.display());
        }
        Ok(())
    }
}

fn told(verdict: &Verdict) -> String {
    let Verdict {
        scene, performance, ..
    } = verdict;
    format!(
        "{}: {}\n{}",
        scene.name,
        verdict.sentence(),
        performance.transcript
    )
}

fn answer_files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    files
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
