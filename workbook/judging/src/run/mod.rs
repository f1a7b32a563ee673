//! Runs a scene or a trial in a separate process, with a time limit, and reports the result.

mod child_guard;
pub(crate) mod directory;
mod events;
mod fault;
mod hang;
mod output;
mod scene_run;
mod strays;

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use anyhow::Context;
use scene::moments::RECORDS_MOMENTS;
use scene::{FIRST_PROGRAM, RECORDS_ON_STDIN, Selection};

pub use child_guard::{ChildGuard, spawn_group};
pub use child_guard::{end_all_and_exit, on_exit, output_of, spawn_judge, spawn_process};
use events::{Event, events_of};

use crate::sandbox::{Asked, sandbox};
use directory::RunDirectory;
pub use fault::Fault;
use hang::{diagnose_hang, has_ended, is_starved};
use output::SceneOutput;
pub use scene_run::{ProgramRun, SceneRun};
use strays::Tagged;

/// The time for which we keep listening after the process has ended, in case another process still
/// holds the output open.
const GRACE: Duration = Duration::from_millis(200);

/// The maximum total wait for a scene that gets too little processor time on a busy machine, as a
/// multiple of the time limit.
const MOST_WAITS: u32 = 8;

/// Runs a scene with the given time limit.
pub(crate) fn run_scene_within(
    patience: Duration,
    program: &Path,
    scene: &str,
) -> anyhow::Result<SceneRun> {
    run(program, &["run-scene".to_owned(), scene.to_owned()], None, patience, &mut |_| ())
}

/// Runs a scene and passes each line of the transcript to `show` as soon as the line arrives. The
/// values in these lines carry the marks of `scene::values`.
pub fn run_scene_showing(
    program: &Path,
    scene: &str,
    show: &mut dyn FnMut(&str),
) -> anyhow::Result<SceneRun> {
    run(program, &["run-scene".to_owned(), scene.to_owned()], None, patience(), show)
}

/// Runs a scene and also collects its moments, from which a recording is made.
pub fn record_scene(program: &Path, scene: &str) -> anyhow::Result<SceneRun> {
    let words = ["run-scene".to_owned(), scene.to_owned()];
    run(program, &words, Some((RECORDS_MOMENTS, "1".to_owned())), patience(), &mut |_| ())
}

/// Runs the selected programs of a trial. If all programs are selected, they're numbered from
/// `first_program` on.
pub(crate) fn run_trial(
    program: &Path,
    trial: &str,
    selection: &Selection,
    patience: Duration,
    first_program: u32,
) -> anyhow::Result<SceneRun> {
    let mut words = vec!["run-trial".to_owned(), trial.to_owned()];
    words.extend(selection.to_words());
    let first_program = (FIRST_PROGRAM, first_program.to_string());
    run(program, &words, Some(first_program), patience, &mut |_| ())
}

/// Runs a program in a child of this process. A sandbox's program calls this function inside the
/// sandbox.
pub fn run_here(asked: &Asked) -> anyhow::Result<SceneRun> {
    let Asked { program, words, variable, patience } = asked;
    let variable = variable.as_ref().map(|(name, value)| (name.as_str(), value.clone()));
    run(program, words, variable, *patience, &mut |_| ())
}

fn run(
    program: &Path,
    words: &[String],
    variable: Option<(&str, String)>,
    patience: Duration,
    show: &mut dyn FnMut(&str),
) -> anyhow::Result<SceneRun> {
    if let Some(sandbox) = sandbox() {
        let variable = variable.map(|(name, value)| (name.to_owned(), value));
        let (program, words) = (program.to_owned(), words.to_owned());
        return sandbox.run(&Asked { program, words, variable, patience });
    }
    let (records, records_for_the_scene) =
        io::pipe().context("make a pipe for the scene's reports")?;
    let tagged = Tagged::begin();
    let directory = RunDirectory::make()?;
    let mut command = Command::new(std::path::absolute(program)?);
    command
        .args(words)
        .current_dir(&directory.dir)
        .env("TMPDIR", &directory.dir)
        .env(RECORDS_ON_STDIN, tagged.tag())
        // The scene moves this pipe to another descriptor; see `scene::channel`.
        .stdin(Stdio::from(records_for_the_scene))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some((name, value)) = variable {
        command.env(name, value);
    }
    let mut guard =
        spawn_group(&mut command).with_context(|| format!("start {}", program.display()))?;
    // `command` contains our copy of the pipe's writing end, which would keep the pipe open.
    drop(command);
    let pid = guard.pid();
    let events = events_of(&mut guard.child, pid, records);

    let mut output = SceneOutput::default();
    let mut stopped = follow(&guard, &events, &mut output, patience, show);
    // The child isn't reaped yet, so no other process group can have its ID.
    guard.end();
    let status = guard.wait().context("wait for the scene")?;
    output.left_behind = tagged.end_strays(pid);
    drain(&events, &mut output, patience, show);
    if stopped.is_none() && output.is_flooded() {
        stopped = Some(SceneOutput::flood());
    }
    Ok(output.into_run(stopped, ending(status)))
}

/// Returns the time limit for a scene: five seconds, unless `WORKBOOK_PATIENCE` sets a different
/// limit. Scenes normally take less than a second, so a scene that reaches the limit most likely
/// hangs.
pub(crate) fn patience() -> Duration {
    let seconds = std::env::var("WORKBOOK_PATIENCE").ok();
    let seconds = seconds.and_then(|text| text.parse::<f64>().ok());
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|patience| !patience.is_zero())
        .unwrap_or(Duration::from_secs(5))
}

/// Collects everything that the scene sends until its process ends. If we have to kill the scene
/// first, returns the reason.
fn follow(
    guard: &ChildGuard,
    events: &Receiver<Event>,
    output: &mut SceneOutput,
    patience: Duration,
    show: &mut dyn FnMut(&str),
) -> Option<Fault> {
    let began = Instant::now();
    let mut waiting = patience;
    loop {
        let left = (began + waiting).saturating_duration_since(Instant::now());
        // `Ended` always arrives before the channel is disconnected, so an error means a timeout.
        match events.recv_timeout(left) {
            Ok(Event::Ended) => return None,
            Ok(event) => output.take(event, show),
            // The check takes a while, and the process may have ended in the meantime.
            Err(_)
                if waiting < patience * MOST_WAITS
                    && (is_starved(guard.pid(), patience) || has_ended(guard.pid())) =>
            {
                waiting += patience;
            }
            Err(_) => return Some(diagnose_hang(guard.pid(), waiting)),
        }
        if output.is_flooded() {
            return Some(SceneOutput::flood());
        }
    }
}

/// Collects the data that's still in the pipes after the process has ended. Normally all records
/// arrive, even on a busy machine, since we wait for the records for as long as we wait for a
/// scene. But a process that the scene started outside its group can hold the output open and keep
/// writing to it, so once the records have ended, we listen only a little longer.
fn drain(
    events: &Receiver<Event>,
    output: &mut SceneOutput,
    patience: Duration,
    show: &mut dyn FnMut(&str),
) {
    let mut deadline = Instant::now() + if output.records_ended { GRACE } else { patience };
    while Instant::now() < deadline && !output.is_flooded() {
        let left = deadline.saturating_duration_since(Instant::now());
        // An error means that all streams have ended, or that the time is up.
        let Ok(event) = events.recv_timeout(left) else { return };
        if matches!(event, Event::RecordsEnded) {
            deadline = Instant::now() + GRACE;
        }
        output.take(event, show);
    }
}

/// Returns the fault that describes how the process ended.
fn ending(status: ExitStatus) -> Fault {
    match status.signal() {
        Some(signal) => Fault::Killed { signal },
        None => Fault::Exited { code: status.code().unwrap_or(0) },
    }
}
