//! Records runs of scenes, which a reader of the book can step through, forward and back.
//!
//! A recording is `tests/recordings/NAME.json` in the scene's package, in a directory next to the
//! snapshots. It's never written by hand: we play the scene, which records its moments (see
//! `scene::moments`). `record STEP NAME` makes a new recording, and `record` renews all existing
//! recordings. `record --check` plays the scenes and compares the results with their recordings.
//!
//! | file | contents |
//! | --- | --- |
//! | `noted.rs` | the notes of the scene's process, moment by moment |
//! | `names.rs` | names for descriptors, whose numbers differ from run to run |
//! | `lists.rs` | the interest lists of epoll objects |
//! | `source.rs` | the lines of the scene and of its helpers |
//! | `things.rs` | names for tasks and callbacks |
//! | `ticks.rs` | the beginning of each tick |
//! | `held.rs` | the contents of queues and loops at a moment |
//! | `run.rs` | the run, made from the notes: moments, each with its changes |
//! | `between.rs` | the events between two moments, reconstructed from their differences |
//! | `own.rs` | a reader's run, which a page of the book shows beside the reference's run |
//! | `repeated.rs` | leaves out moments that repeat many times |
//! | `recording.rs` | the recording and its file |

mod between;
mod held;
mod lists;
mod names;
mod noted;
mod own;
mod recording;
mod repeated;
mod run;
mod source;
mod things;
mod ticks;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use judging::run::record_scene;
use judging::terminal::Terminal;
use judging::workbook::{Workbook, file_names, read, write};
use scene::root::cargo;

pub use self::own::{Whose, tell};
use self::recording::Recording;

/// Whether to write recordings or to check them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Write the recording.
    Write,
    /// Play each scene this many times, or until a run differs from the scene's recording.
    Check(usize),
}

impl Task {
    fn times(self) -> usize {
        match self {
            Task::Write => 1,
            Task::Check(times) => times,
        }
    }
}

/// Records or checks scenes: the given scenes of a step, all of a step's previously recorded
/// scenes, or the previously recorded scenes of all steps.
pub fn record(
    workbook: &Workbook,
    task: Task,
    step: Option<&str>,
    scenes: &[&str],
) -> anyhow::Result<ExitCode> {
    let steps = workbook.steps()?;
    let steps = match step {
        Some(name) => {
            ensure!(steps.iter().any(|it| it == name), "there's no step `{name}`");
            vec![name.to_owned()]
        }
        None => steps,
    };
    let mut names_in: Vec<(&str, Vec<String>)> = Vec::new();
    for package in &steps {
        let names = if scenes.is_empty() {
            recorded(workbook, package)?
        } else {
            scenes.iter().map(|&name| name.to_owned()).collect()
        };
        if !names.is_empty() {
            names_in.push((package, names));
        }
    }
    let packages: Vec<&str> = names_in.iter().map(|(package, _)| *package).collect();
    let programs = programs_with_lines(workbook, &packages)?;
    let (mut same, mut different) = (0, Vec::new());
    for (package, names) in names_in {
        let program = programs.join(package);
        for name in &names {
            let record = || {
                recording_of(workbook, package, &program, name)
                    .with_context(|| format!("record {package} {name}"))
            };
            let file = file(workbook, package, name);
            let before = read(&file).unwrap_or_default();
            let mut text = record()?;
            for _ in 1..task.times() {
                if text == before {
                    text = record()?;
                }
            }
            if text == before {
                same += 1;
                continue;
            }
            different.push(format!("{package} {name}"));
            let file = match task {
                Task::Write => file,
                // A failed check also writes its recording, so that an author can look at the
                // difference.
                Task::Check(_) => file_of_a_check(workbook, package, name),
            };
            write(&file, &text)?;
        }
    }
    let terminal = Terminal::of_stdout();
    let verb = if task == Task::Write { "recorded" } else { "not as recorded" };
    terminal.print(&format!("{same} as before, {} {verb}\n", different.len()));
    for name in &different {
        terminal.print(&format!("  {name}\n"));
    }
    let failed = task != Task::Write && !different.is_empty();
    if failed {
        terminal.print("What they are now is in target/recordings/.\n");
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Plays a scene and returns the text of its recording.
fn recording_of(
    workbook: &Workbook,
    package: &str,
    program: &Path,
    name: &str,
) -> anyhow::Result<String> {
    let run = record_scene(program, name)?;
    if let Some(sentence) = run.sentence() {
        bail!("{sentence}\n{}{}", run.transcript, run.printed);
    }
    let expected = workbook.snapshot(package, name)?;
    ensure!(run.transcript.trim_end() == expected, "it prints\n{}", run.transcript);
    let recording = Recording::new(workbook, package, name, &run, &workbook.root)?;
    recording.check()?;
    recording.text()
}

/// Returns the names of a step's recorded scenes.
fn recorded(workbook: &Workbook, package: &str) -> anyhow::Result<Vec<String>> {
    let dir = workbook.step(package).join("tests/recordings");
    if !dir.exists() {
        return Ok(vec![]);
    }
    let names = file_names(&dir)?;
    Ok(names.iter().filter_map(|name| Some(name.strip_suffix(".json")?.to_owned())).collect())
}

fn file(workbook: &Workbook, package: &str, name: &str) -> PathBuf {
    workbook.step(package).join(format!("tests/recordings/{name}.json"))
}

fn file_of_a_check(workbook: &Workbook, package: &str, name: &str) -> PathBuf {
    workbook.root.join(format!("target/recordings/{package}/{name}.json"))
}

/// Builds some steps' programs with line numbers and returns the directory with the programs. The
/// programs need a separate directory, because they would otherwise replace the readers' programs,
/// which have no line numbers and would have to be built again.
fn programs_with_lines(workbook: &Workbook, packages: &[&str]) -> anyhow::Result<PathBuf> {
    let target = workbook.root.join("target/recordings");
    let status = cargo()
        .current_dir(&workbook.root)
        .args(["build", "--quiet", "--bins"])
        .args(packages.iter().flat_map(|package| ["--package", package]))
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only")
        .status()
        .with_context(|| format!("build {}", packages.join(", ")))?;
    ensure!(status.success(), "{} can't be built", packages.join(", "));
    Ok(target.join("debug"))
}
