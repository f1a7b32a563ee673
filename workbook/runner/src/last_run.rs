//! A note that exists while a page is judged. If the runner is killed, it can't tell the reader why,
//! but the next run finds the note.

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::Step;
use anyhow::ensure;

use crate::kept;
use crate::keys;
use crate::notebook::Notebook;
use crate::terminal::shown;
use crate::workbook::write;

/// The note that this process has written, while it judges.
static NOTE: Mutex<Option<PathBuf>> = Mutex::new(None);

/// A judgement that's going on.
#[derive(Debug)]
pub(crate) struct GoingOn(());

/// Notes that a page is being judged. The notes of two runners at a time overwrite each other.
///
/// Fails if the last run was killed, and the keys have changed since.
pub(crate) fn begin(notebook: &Notebook, step: &Step) -> anyhow::Result<GoingOn> {
    if let Some(killed) = killed(notebook) {
        killed.had_these_keys(notebook, step)?;
        // What killed it can have rewritten them, too, and they only save time.
        kept::forget(step);
    }
    let file = note(notebook);
    let text = format!("{}\n{}\n{}\n", this_process(), step.package, keys::fingerprint(step));
    // Without the note, the next run doesn't know what happened.
    if write(&file, &text).is_ok() {
        *NOTE.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
    }
    Ok(GoingOn(()))
}

impl Drop for GoingOn {
    fn drop(&mut self) {
        forget();
    }
}

/// Removes the note: the runner ends as it should, or as the reader wished.
pub(crate) fn forget() {
    if let Some(file) = NOTE.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let _ = fs::remove_file(file);
    }
}

/// Says what happened to the last run, if it was killed while it judged a page.
pub(crate) fn ending(notebook: &Notebook) -> Option<String> {
    let Killed { package, .. } = killed(notebook)?;
    Some(format!(
        "The last run was killed while it judged your page of {package}, so it couldn't say anything. \
         If you didn't do that, your code can have: look for a signal (kill) to its parent or to a \
         process group. What the scenes had started was ended.\n\n"
    ))
}

/// What the note says of a run that was killed.
struct Killed {
    package: String,
    /// The fingerprint of the keys by which it judged.
    keys: String,
}

impl Killed {
    /// Fails if the snapshots have changed since the run began: whatever killed it can have rewritten
    /// them, and then cargo has built them into this program.
    fn had_these_keys(&self, notebook: &Notebook, step: &Step) -> anyhow::Result<()> {
        let Killed { package, keys } = self;
        ensure!(
            package != step.package || *keys == keys::fingerprint(step),
            "the last run was killed while it judged your page of {package}, and the snapshots, by \
             which the page is judged, have changed since. If your code did both, put them back: git \
             checkout {}. If you've updated the workbook, remove {}",
            shown(&notebook.workbook.snapshots(package)),
            shown(&note(notebook))
        );
        Ok(())
    }
}

fn killed(notebook: &Notebook) -> Option<Killed> {
    let text = fs::read_to_string(note(notebook)).ok()?;
    let mut lines = text.lines();
    let (process, package) = (lines.next()?, lines.next()?.to_owned());
    let keys = lines.next().unwrap_or_default().to_owned();
    (!is_running(process)).then_some(Killed { package, keys })
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
