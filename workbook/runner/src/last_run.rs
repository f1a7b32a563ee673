//! A note that exists while a page is being judged. A runner that's killed can't report what
//! happened, but the next run finds the note and warns the reader.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use judging::notebook::Notebook;
use judging::notebook::page::Page;
use judging::run::on_exit;

/// The note that this process keeps while it judges a page. The kernel releases the note's lock
/// when this process ends, no matter how.
static NOTE: Mutex<Option<(PathBuf, File)>> = Mutex::new(None);

/// A judgement in progress.
#[derive(Debug)]
pub(crate) struct GoingOn(());

/// Leaves a note that a page is being judged.
pub(crate) fn begin(page: &Page) -> GoingOn {
    on_exit(forget);
    // An error here only means that the next run won't know what happened.
    if let Ok(note) = locked_note(page) {
        *NOTE.lock().unwrap_or_else(PoisonError::into_inner) = Some(note);
    }
    GoingOn(())
}

fn locked_note(page: &Page) -> io::Result<(PathBuf, File)> {
    let path = note(&page.notebook);
    fs::create_dir_all(page.notebook.state())?;
    let mut file = File::options().write(true).create(true).truncate(false).open(&path)?;
    // If this fails, another runner is judging, and the note belongs to that runner.
    file.try_lock()?;
    file.set_len(0)?;
    file.write_all(page.step.package.as_bytes())?;
    Ok((path, file))
}

impl Drop for GoingOn {
    fn drop(&mut self) {
        forget();
    }
}

/// Removes the note, because the judgement has ended or because a signal or a closed pipe makes the
/// runner exit.
fn forget() {
    if let Some((path, _)) = NOTE.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let _ = fs::remove_file(path);
    }
}

/// Returns a sentence about the last run, if that run was killed while it judged a page.
pub(crate) fn ending(notebook: &Notebook) -> Option<String> {
    let mut file = File::open(note(notebook)).ok()?;
    // If the lock is taken, the last run is still in progress.
    file.try_lock().ok()?;
    let mut package = String::new();
    file.read_to_string(&mut package).ok().filter(|length| *length > 0)?;
    Some(format!(
        "The last run was killed while it judged your page of {package}, before it could report \
         anything. If you didn't kill it, your code may have killed it: look for a call to kill \
         that signals the parent or a process group. A process that your code started may still be \
         running.\n\n"
    ))
}

fn note(notebook: &Notebook) -> PathBuf {
    notebook.state().join("judging")
}
