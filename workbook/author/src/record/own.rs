//! A run that a page of the book has requested, on the reader's own layers or on ours.
//!
//! The page marks where the reader's run departs from the reference's, so the page needs both runs.
//! If the book has a recording of the scene, that recording is the reference's run. Otherwise, we
//! record the scene twice, because a difference that also occurs between two runs of the same code
//! says nothing about the reader's code.

use std::path::Path;
use std::process::ExitCode;

use crate::described;
use anyhow::ensure;
use judging::notebook::Notebook;
use judging::run::{SceneRun, record_scene};
use judging::workbook::{Workbook, read};
use runner::json::Json;
use runner::{Usage, build_own, events, object};

use super::recording::Recording;
use super::{file, programs_with_lines};

/// The layers that a run uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The reader's page in its current state.
    Mine,
    /// The reference.
    Reference,
}

/// The text of a recording, for another program.
struct Told {
    text: String,
    /// True unless two runs of the reference have given different recordings.
    repeats: bool,
}

/// Sends the reference's recording of a scene to another program and, for [`Whose::Mine`], a
/// recording of the reader's run, too, in the format that `workbook/EVENTS.md` describes.
pub fn tell(
    workbook: &Workbook,
    package: &str,
    scene: &str,
    whose: Whose,
) -> anyhow::Result<ExitCode> {
    let step = described::step(workbook, package)?;
    let names: Vec<&str> = step.scenes.iter().map(|it| it.name).collect();
    if !names.contains(&scene) {
        return Err(Usage::unknown("scene", scene, &names).into());
    }
    // The reader's run comes first, because we don't need the reference's run if the page doesn't
    // compile.
    let own = match whose {
        Whose::Mine => Some(build_own(&step)?),
        Whose::Reference => None,
    };
    let Told { text, repeats } = of_the_reference(workbook, package, scene)?;
    let runs = format!("the reference's {package}");
    tell_one("reference", &runs, repeats, &text)?;
    if let Some((program, runs)) = own {
        let notebook = Notebook::of(workbook.clone());
        let run = record_scene(&program, scene)?;
        let text = in_full(workbook, package, scene, &run, &notebook.dir)?;
        tell_one("yours", &runs, repeats, &text)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn tell_one(whose: &str, runs: &str, repeats: bool, recording: &str) -> anyhow::Result<()> {
    // An event is a single line. We can replace the newlines, because in JSON, the strings in a
    // recording can't contain newlines.
    let recording = Json::parsed(&recording.replace('\n', " "))?;
    let fields = object! { whose: whose, runs: runs, repeats: repeats, recording: recording };
    events::tell("recording", fields);
    Ok(())
}

fn of_the_reference(workbook: &Workbook, package: &str, scene: &str) -> anyhow::Result<Told> {
    let file = file(workbook, package, scene);
    if file.exists() {
        return Ok(Told { text: read(&file)?, repeats: true });
    }
    events::tell("compiling", object! { package: package });
    let program = programs_with_lines(workbook, &[package])?.join(package);
    let expected = workbook.snapshot(package, scene)?;
    let record = || {
        let run = record_scene(&program, scene)?;
        // This check fails, for instance, if the scene starts a process, which can't make the
        // system calls that we trace.
        ensure!(
            run.faults.is_empty() && run.transcript.trim_end() == expected,
            "{scene} can't be stepped through: while its system calls are seen, it goes another way, \
             even on the reference"
        );
        in_full(workbook, package, scene, &run, &workbook.root)
    };
    let (text, again) = (record()?, record()?);
    Ok(Told { repeats: text == again, text })
}

/// Returns a recording of a run that may have failed or may be too long for a reader.
fn in_full(
    workbook: &Workbook,
    package: &str,
    scene: &str,
    run: &SceneRun,
    built_in: &Path,
) -> anyhow::Result<String> {
    let mut recording = Recording::new(workbook, package, scene, run, built_in)?;
    recording.cut_to_size(run.sentence());
    recording.text()
}
