//! A recording: its moments, each with its changes, and its file.

use std::collections::BTreeSet;
use std::fmt::Write;

use std::path::Path;

use anyhow::ensure;
use judging::run::SceneRun;
use judging::workbook::Workbook;
use serde_json::{Value, json};

use super::noted::Noted;
use super::run::{Moment, Run};
use super::source::{Excerpt, Source};
use crate::twins;

/// The version of the format that the book's `recording.js` reads.
const FORMAT: u32 = 1;

/// The maximum number of moments that a reader would step through.
const MOST_MOMENTS: usize = 250;

/// A recorded run.
pub(super) struct Recording {
    package: String,
    scene: String,
    file: String,
    excerpts: Vec<Excerpt>,
    twin: Option<Vec<String>>,
    transcript: Vec<String>,
    moments: Vec<Moment>,
    /// The number of the line where the scene's function begins.
    begins: usize,
}

impl Recording {
    /// Creates the recording of a run. `built_in` is the directory of the workspace in which the
    /// program was built. The paths of the files in which tasks and callbacks were created are
    /// relative to that directory.
    pub(super) fn new(
        workbook: &Workbook,
        package: &str,
        scene: &str,
        SceneRun { transcript, moments: noted, .. }: &SceneRun,
        built_in: &Path,
    ) -> anyhow::Result<Self> {
        let step = workbook.step(package);
        let directory = workbook.below_the_root(package).display();
        let source = Source::of_scene(&step, scene)?;
        let transcript: Vec<String> = transcript.lines().map(str::to_owned).collect();
        let noted = noted.iter().map(|text| Noted::parse(text));
        let noted = noted.collect::<anyhow::Result<Vec<_>>>()?;
        let run = Run::of(&noted, &source, built_in);
        let lines = run.moments.iter().flat_map(|it| it.line.into_iter().chain(it.callers.clone()));
        let lines: BTreeSet<usize> = lines.chain([source.beginning_of(scene)]).collect();
        let excerpts = source.excerpts(&lines.into_iter().collect::<Vec<_>>());
        let twin = twins::code_of(&step, scene)?;
        Ok(Recording {
            package: package.to_owned(),
            scene: scene.to_owned(),
            file: format!("{directory}/experiments/scenes/{}", source.name),
            excerpts,
            twin: twin.map(|code| code.lines().map(str::to_owned).collect()),
            transcript,
            moments: run.moments,
            begins: source.beginning_of(scene),
        })
    }

    /// Fails if the recording is longer than a reader would step through, or if a line of the
    /// transcript has no moment.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let count = self.moments.len();
        ensure!(count <= MOST_MOMENTS, "{count} moments are too many to step through");
        let printed = self.moments.last().map_or(0, |last| last.printed);
        ensure!(printed == self.transcript.len(), "not every line has its moment");
        Ok(())
    }

    /// Replaces the moments beyond the maximum number with a note. If a fault ended the run, the
    /// recording ends with that fault.
    pub(super) fn cut_to_size(&mut self, fault: Option<String>) {
        let left_out = self.moments.len().saturating_sub(MOST_MOMENTS);
        self.moments.truncate(MOST_MOMENTS);
        let last = self.moments.last().cloned().unwrap_or_else(|| Moment::beginning(self.begins));
        let cut = (left_out > 0).then(|| format!("and so on: {left_out} more steps"));
        self.moments.extend(cut.into_iter().chain(fault).map(|words| last.saying(words)));
        if self.moments.is_empty() {
            // A player needs at least one step to show.
            self.moments.push(last);
        }
    }

    /// Returns the text of the recording's file, with one moment per line, which makes diffs
    /// readable.
    pub(super) fn text(&self) -> anyhow::Result<String> {
        let mut text = String::from("{\n");
        let mut field = |name: &str, value: Value| writeln!(text, "\"{name}\": {value},");
        field("format", FORMAT.into())?;
        field("package", self.package.clone().into())?;
        field("scene", self.scene.clone().into())?;
        field("source", json!({ "file": self.file, "parts": self.excerpts }))?;
        if let Some(twin) = &self.twin {
            field("twin", json!(twin))?;
        }
        field("transcript", json!(self.transcript))?;
        text += "\"moments\": [\n";
        let moments = self.moments.iter().map(serde_json::to_string);
        text += &moments.collect::<Result<Vec<_>, _>>()?.join(",\n");
        text += "\n]\n}\n";
        Ok(text)
    }
}
