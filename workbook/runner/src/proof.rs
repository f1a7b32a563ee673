//! The checks that prove a step's exercises: the starter is red for the right reason, the reference
//! is green, wrong answers are red, and other right answers are green.
//!
//! They run in a notebook below `target/`, and go through it as a reader would.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;

use crate::commands;
use crate::notebook::Notebook;
use crate::terminal::Terminal;
use crate::trial::Trial;
use scene::{Exercise, Step};

/// Checks one step, and prints a line for each thing that was checked.
pub(crate) fn check(step: &Step) -> anyhow::Result<ExitCode> {
    let root = commands::notebook(step)?.root;
    let notebook = Notebook::at(&root, &root.join("target/proof"));
    clear(&notebook.dir)?;
    let mut proof = Proof {
        trial: Trial { step, notebook },
        terminal: Terminal::of_stdout(),
        passed: 0,
        failed: 0,
    };
    proof.run();
    let summary = format!("{}: {} passed, {} failed\n", step.package, proof.passed, proof.failed);
    proof.terminal.print(&summary);
    Ok(if proof.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
    trial: Trial<'a>,
    terminal: Terminal,
    passed: u32,
    failed: u32,
}

impl Proof<'_> {
    fn run(&mut self) {
        self.tell("is complete", self.trial.is_complete());
        let starter = self.trial.starter_compiles();
        let compiles = starter.is_ok();
        self.tell("starter compiles without a warning", starter);
        if !compiles {
            return;
        }
        for exercise in self.trial.step.exercises {
            let name = format!("{} {}", exercise.number, exercise.name);
            self.tell(
                &format!("{name}: red until it is written"),
                self.trial.is_not_written(exercise),
            );
            self.answers(exercise, &name);
            let put_back = self.trial.put_back(exercise);
            let written = put_back.and_then(|()| self.trial.is_green(exercise));
            self.tell(&format!("{name}: green once it is"), written);
        }
        self.right_answers_together();
        self.tell("all put back is the reference, byte for byte", self.trial.is_the_reference());
    }

    /// What is right for an exercise must be right for all that builds on it, too. Each right answer
    /// is tried once, together with those of the other exercises.
    fn right_answers_together(&mut self) {
        let exercises = self.trial.step.exercises;
        let of_each: Vec<_> =
            exercises.iter().map(|exercise| self.right_answers(exercise)).collect();
        let rounds = of_each.iter().map(Vec::len).max().unwrap_or_default();
        for round in 0..rounds {
            let answers = exercises.iter().zip(&of_each).filter_map(|(exercise, files)| {
                Some((exercise, files.iter().cycle().nth(round)?.as_path()))
            });
            let answers: Vec<_> = answers.collect();
            let result = self.trial.suit_the_step(&answers);
            self.tell(
                &format!("right answers together, {}: all scenes are green", round + 1),
                result,
            );
        }
    }

    fn right_answers(&self, exercise: &Exercise) -> Vec<PathBuf> {
        let mut files = answer_files(&self.answers_of(exercise));
        files.retain(|file| file_name(file).starts_with("right_"));
        files
    }

    fn answers_of(&self, exercise: &Exercise) -> PathBuf {
        let step = self.trial.notebook.step(self.trial.step.package);
        step.join("tests/answers").join(exercise.name)
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

    /// Tries the answers in `tests/answers/`, and takes each out again.
    fn answers(&mut self, exercise: &Exercise, name: &str) {
        let dir = self.answers_of(exercise);
        let files = answer_files(&dir);
        for kind in ["wrong_", "right_"] {
            let is_of_kind = |file: &&PathBuf| file_name(file).starts_with(kind);
            let of_kind = || files.iter().filter(is_of_kind);
            if of_kind().next().is_none() {
                let missing = Err(anyhow::anyhow!("none in {}", dir.display()));
                self.tell(&format!("{name}: has a {kind}*.rs answer"), missing);
            }
            for file in of_kind() {
                let colour = if kind == "wrong_" { "red" } else { "green" };
                let result = self.trial.answer(exercise, file);
                self.tell(&format!("{name}: {} is {colour}", file_name(file)), result);
            }
        }
    }
}

fn answer_files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    files
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
