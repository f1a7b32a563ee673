//! Recordings of scenes: runs that the reader of a page can step through, forward and back.
//! `cargo run -p author -- record` creates the recordings.
//!
//! The page contains a recording as data, after the scene's other parts, and `theme/recording.js`
//! turns the data into a player. Without scripts and on paper, the recording isn't shown. mdBook
//! sees only a placeholder, the recording's mark, so the search index doesn't contain the
//! recording.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::folds::Folds;
use crate::forms::block;
use crate::steps::{directory_of, read};

/// Returns the mark for a scene's recording, or an empty string if the scene hasn't been recorded.
pub(crate) fn mark(root: &Path, package: &str, scene: &str, folds: &Folds) -> Result<String> {
    let file = directory_of(root, package)?.join(format!("tests/recordings/{scene}.json"));
    if !file.exists() {
        return Ok(String::new());
    }
    let name = || file.display().to_string();
    let recording: Value = serde_json::from_str(&read(&file)?).with_context(name)?;
    ensure!(recording["scene"] == scene, "{} is of another scene", name());
    let id = format!("{package}/{scene}");
    let attributes = format!(" class=\"recording\" data-scene=\"{id}\"");
    let player = format!("<div{attributes}>{}</div>", block(&attributes, &recording));
    Ok(format!("\n\n{}", folds.of_recording(player)))
}
