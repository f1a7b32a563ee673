//! A note that exists while a page is judged. If the runner is killed, it can't tell the reader why,
//! but the next run finds the note.

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::notebook::Notebook;
use crate::notebook::page::Page;
use crate::run::on_exit;
use crate::workbook::write;

/// The note that this process has written, while it judges.
static NOTE: Mutex<Option<PathBuf>> = Mutex::new(None);

/// A judgement that's going on.
#[derive(Debug)]
pub(crate) struct GoingOn(());

/// Notes that a page is being judged. The notes of two runners at a time overwrite each other.
pub(crate) fn begin(page: &Page) -> GoingOn {
    on_exit(forget);
    let file = note(&page.notebook);
    let text = format!("{}\n{}\n", this_process(), page.step.package);
    // Without the note, the next run doesn't know what happened.
    if write(&file, &text).is_ok() {
        *NOTE.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
    }
    GoingOn(())
}

impl Drop for GoingOn {
    fn drop(&mut self) {
        forget();
    }
}

/// Removes the note: the runner ends as it should, or as the reader wished.
fn forget() {
    if let Some(file) = NOTE.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let _ = fs::remove_file(file);
    }
}

/// Says what happened to the last run, if it was killed while it judged a page.
pub(crate) fn ending(notebook: &Notebook) -> Option<String> {
    let text = fs::read_to_string(note(notebook)).ok()?;
    let mut lines = text.lines();
    let (process, package) = (lines.next()?, lines.next()?);
    if is_running(process) {
        return None;
    }
    Some(format!(
        "The last run was killed while it judged your page of {package}, before it could report \
         anything. If you didn't kill it, your code may have: look for a signal (kill) to its parent or \
         to a process group. A process that your code started may still be running.\n\n"
    ))
}

fn note(notebook: &Notebook) -> PathBuf {
    notebook.state().join("judging")
}

/// Returns this process's ID and the time at which it began: another one can get the same ID.
fn this_process() -> String {
    let id = std::process::id();
    format!("{id} {}", began(&id.to_string()).unwrap_or_default())
}

fn is_running(process: &str) -> bool {
    let (id, then) = process.split_once(' ').unwrap_or_default();
    began(id).is_some_and(|began| began == then)
}

/// Returns the time at which a process began, the 22nd field of `/proc/PID/stat`.
fn began(id: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(") ")?;
    Some(fields.split_whitespace().nth(19)?.to_owned())
}
