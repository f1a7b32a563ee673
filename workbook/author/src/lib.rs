//! The commands for the workbook's authors. They check the exercises and the known answers to them,
//! and prove that later steps run the reader's bodies. They also check the scenes: under load, in
//! tests, and against their Python twins. Apart from tests, only programs for authors and teachers
//! and the program that builds the book link this crate.
//!
//! - [`check`]: checks a step's exercises, with `attempt`, `body`, `together` and `on_paths`; it
//!   judges several bodies simultaneously, with `at_a_time`;
//! - [`try_out`]: tries answers and prints the verdicts that a reader would get;
//! - [`hunt`]: records the verdicts that readers get on bugs that are worth a hunt;
//! - [`reuse`]: proves that later steps run the reader's bodies, with `switched` and
//!   `conversation`;
//! - [`stress`]: runs every scene and every trial many times, under load;
//! - [`record`]: records the runs that readers step through on the book's pages;
//! - [`scene_tests!`]: defines a test for each scene and its snapshot;
//! - [`twins`], [`differential`]: compare scenes and random programs with CPython.
//!
//! This crate doesn't link the steps. Instead, [`described`] asks the steps' programs for their
//! scenes and trials. The teachers' program uses [`described`], too.

#![forbid(unsafe_code)]

pub mod at_a_time;
mod attempt;
mod body;
pub mod check;
mod conversation;
mod cpython;
pub mod described;
pub mod differential;
pub mod documents;
pub mod hunt;
mod on_paths;
mod one_by_one;
pub mod record;
pub mod reuse;
pub mod same_words;
mod scene_tests;
pub mod sessions;
mod sheets;
pub mod stress;
mod switched;
mod together;
pub mod try_out;
pub mod twins;

pub use scene_tests::{SceneTest, exercises_name_what_there_is, scene_tests};

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use judging::Step;
use judging::notebook::Notebook;
use judging::workbook::{Workbook, write};

/// Returns the short name of a step: `step01` for `step01_fd`.
fn short(step: &Step) -> &str {
    step.package.split('_').next().unwrap_or(step.package)
}

/// Returns the paths of a directory's entries, sorted, or an empty list if the directory can't be
/// listed.
fn answer_files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    files
}

/// Returns an empty notebook with this name in `target/`. All of its exercises are to be written,
/// including the optional exercises.
fn empty_notebook(workbook: Workbook, name: &str) -> anyhow::Result<Notebook> {
    let notebook = Notebook { dir: workbook.root.join("target").join(name), workbook };
    clear(&notebook.dir)?;
    write(&notebook.choice_file(), "path all\nfile \ngiven \n")?;
    Ok(notebook)
}

/// Empties one of our own notebooks except for its `target/`, so that we begin with a clean
/// notebook.
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
