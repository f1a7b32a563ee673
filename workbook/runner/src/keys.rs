//! The keys: what each scene's transcript should be. A step's program has contained them since it was
//! built, so nothing that a page does while it's compiled or run changes what it's judged by.
//!
//! But cargo builds the program again when a snapshot's file has changed. So a file that's rewritten
//! while a page is judged gets its old text back. Trials have no snapshots, but what the reference did in
//! them is kept: see `kept.rs`.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::Step;
use anyhow::Context;

use crate::kept;
use crate::workbook::{Workbook, without_header, write};

/// The files that are guarded now, each with its text.
static GUARDED: Mutex<Vec<(PathBuf, &'static str)>> = Mutex::new(Vec::new());

/// Returns the expected transcript of a scene.
///
/// Fails if the step had no snapshot for it when it was built.
pub fn of(step: &Step, scene: &str) -> anyhow::Result<&'static str> {
    let key = step.keys.iter().find(|(name, _)| *name == scene);
    let (_, text) = key.with_context(|| format!("the scene {scene} has no snapshot"))?;
    Ok(without_header(text).trim_end())
}

/// Returns a hash of a step's keys.
pub(crate) fn fingerprint(step: &Step) -> String {
    let mut hasher = DefaultHasher::new();
    step.keys.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Guards the files of a step's snapshots, and the kept runs, until this value is dropped.
#[derive(Debug)]
pub(crate) struct Guard(());

impl Guard {
    /// Begins. A file that's different already isn't ours to change: its author is just writing it.
    pub(crate) fn begin(workbook: &Workbook, step: &Step) -> Guard {
        let files = step.keys.iter().map(|(scene, text)| {
            let file = workbook.snapshot_file(step.package, scene);
            (file, *text)
        });
        let mut guarded = GUARDED.lock().unwrap_or_else(PoisonError::into_inner);
        *guarded = files.filter(says).collect();
        kept::read_all(step);
        Guard(())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        put_back();
    }
}

/// Gives the guarded files that were changed their old text, and returns them. Guards none from now on.
pub(crate) fn put_back() -> Vec<PathBuf> {
    let guarded = std::mem::take(&mut *GUARDED.lock().unwrap_or_else(PoisonError::into_inner));
    kept::remove_changed();
    let changed = guarded.into_iter().filter(|it| !says(it));
    let put_back = changed.filter(|(file, text)| {
        // A link in its place would lead us elsewhere.
        let _ = fs::remove_file(file);
        write(file, text).is_ok()
    });
    put_back.map(|(file, _)| file).collect()
}

fn says((file, text): &(PathBuf, &'static str)) -> bool {
    fs::read(file).is_ok_and(|bytes| bytes == text.as_bytes())
}
