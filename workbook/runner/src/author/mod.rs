//! The checks that the workbook's authors run: of the exercises, of answers to them, of their use in
//! later steps, and of the scenes, under load, as tests, and against their twins.

mod attempt;
mod body;
pub(crate) mod check;
mod conversation;
mod cpython;
pub mod differential;
pub(crate) mod reuse;
pub(crate) mod scene_tests;
pub(crate) mod stress;
mod switched;
mod together;
pub(crate) mod try_out;
pub mod twins;

use std::fs;
use std::path::{Path, PathBuf};

use crate::Step;
use anyhow::Context;

/// Returns what distinguishes a step: `step01` of `step01_fd`.
fn short(step: &Step) -> &str {
    step.package.split('_').next().unwrap_or(step.package)
}

/// Lists the answers in a directory, sorted. If there's no such directory, the list is empty.
fn answer_files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    files
}

/// Empties a notebook of ours, so that we begin with a clean one, but keeps its `target/`.
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
