//! Proves that later steps run the reader's bodies.
//!
//! We build one notebook of all steps, in which the body of each exercise begins with a switch that
//! ends the program if an environment variable names the exercise. Then, for each exercise, we talk
//! to every later server and play the later scenes in `SCENES`. The last server is `serve_files`.
//! A program that fails has run the exercise. If no later program fails, the exercise must give a
//! reason in `only_here`. If a later program fails, the exercise must not have an `only_here`.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, ensure};
use exercises::Exercise;

use super::at_a_time::{AT_ONCE, at_a_time};
use super::conversation::{converse, fetch};
use super::switched::{self, SWITCH};
use judging::terminal::Terminal;
use judging::workbook::Workbook;

/// Scenes that run code that no server runs. Each entry has the scene's step, the scene's name, and
/// our name for the code.
const SCENES: [(&str, &str, &str); 6] = [
    ("step07_full_loop", "call_soon_threadsafe_from_a_thread", "a call into the loop of 07"),
    ("asyncio", "three_tasks_and_a_counter", "a lock of asyncio"),
    ("asyncio", "nested_timeouts", "a timeout of asyncio"),
    ("asyncio", "what_write_and_drain_do", "a stream of asyncio"),
    ("asyncio", "a_threads_lock_in_a_coroutine", "a thread in asyncio"),
    ("asyncio", "closed_and_not_waited_for", "the end of a program"),
];

/// Tries every exercise and prints which later programs run it.
pub fn check_reuse(workbook: &Workbook) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let mut exercises = Vec::new();
    for (place, step) in workbook.steps()?.into_iter().enumerate() {
        let declared = exercises::read(&workbook.step(&step))?;
        exercises.extend(declared.into_iter().map(|exercise| (place, exercise)));
    }
    let programs = switched::build(workbook)?;
    for program in &programs {
        ensure!(program.works(None)?, "{} fails, though no exercise ends it", program.name);
    }

    let users =
        at_a_time(AT_ONCE, exercises.len(), |_, number| users(&programs, &exercises[number]));
    let mut wrong = 0;
    for ((_, exercise), users) in exercises.iter().zip(users) {
        let line = match (&exercise.only_here, users?.as_slice()) {
            (None, []) => "✗ no later step runs it, and `only_here` gives no reason".to_owned(),
            (Some(reason), []) => format!("· only here: {reason}"),
            (None, users) => format!("✓ {}", users.join(", ")),
            (Some(_), users) => format!("✗ `only_here`, but it runs in {}", users.join(", ")),
        };
        wrong += usize::from(line.starts_with('✗'));
        terminal.print(&format!("{} {:<20} {line}\n", exercise.number, exercise.name));
    }
    terminal.print(&format!("{} exercises checked, {wrong} wrong\n", exercises.len()));
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the names of those programs of later steps that fail while the exercise's switch is on.
fn users(
    programs: &[Program],
    (place, exercise): &(usize, Exercise),
) -> anyhow::Result<Vec<String>> {
    let mut users = Vec::new();
    for program in programs.iter().filter(|program| program.place > *place) {
        if !program.works(Some(&exercise.number))? {
            users.push(program.name.clone());
        }
    }
    Ok(users)
}

/// A server or a scene. If it fails while an exercise's switch is on, it runs that exercise's body.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) place: usize,
    pub(super) name: String,
    pub(super) file: PathBuf,
    pub(super) kind: ProgramKind,
}

#[derive(Debug)]
pub(super) enum ProgramKind {
    /// The step's echo server. From step 05 on, a signal stops it.
    Server { stops_by_signal: bool },
    /// A scene, which must reach its end.
    Scene(&'static str),
    /// The file server, which serves this directory.
    Files(PathBuf),
}

/// The package with the file server, which is built on all of the notebook's layers.
pub(super) const FILE_SERVER: &str = "serve_files";

impl Program {
    /// Returns a step's programs.
    pub(super) fn of_step(place: usize, step: &str, file: &Path) -> Vec<Program> {
        let program = |name: String, kind| Program { place, name, file: file.to_owned(), kind };
        let mut programs = Vec::new();
        if step != "step01_fd" && step.starts_with("step") {
            let stops_by_signal = step >= "step05";
            programs.push(program(
                format!("server {}", &step[4..6]),
                ProgramKind::Server { stops_by_signal },
            ));
        }
        for (_, scene, name) in SCENES.iter().filter(|scene| scene.0 == step) {
            programs.push(program((*name).to_owned(), ProgramKind::Scene(scene)));
        }
        programs
    }

    /// Returns true if the program works. A program that runs the exercise with the number `ends`
    /// doesn't work, because the exercise's switch ends it.
    fn works(&self, ends: Option<&str>) -> anyhow::Result<bool> {
        let mut command = Command::new(&self.file);
        command.stdin(Stdio::null()).stderr(Stdio::null());
        if let Some(number) = ends {
            command.env(SWITCH, number);
        }
        match &self.kind {
            &ProgramKind::Server { stops_by_signal } => {
                Ok(converse(command.args(["serve-on", "0"]), stops_by_signal)?.is_ok())
            }
            ProgramKind::Files(directory) => {
                Ok(fetch(command.arg(directory), "Cargo.toml")?.is_ok())
            }
            ProgramKind::Scene(name) => {
                let status = command.args(["run-scene", name]).stdout(Stdio::null()).status();
                Ok(status.with_context(|| format!("run {}", self.file.display()))?.success())
            }
        }
    }
}
