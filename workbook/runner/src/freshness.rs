//! Sees to it that cargo builds what is there now.
//!
//! cargo tells by their times which files have changed. A notebook that was unpacked, or copied with
//! its times kept, may hold other text than the one before it and yet look older than what was
//! compiled from that. The verdict would be on the wrong code. So the runner remembers what text it
//! built last, and where cargo could not see a change it makes a file look new.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;

use crate::ledger::fingerprint;
use crate::notebook::Notebook;
use crate::root::write;
use crate::source::layer_files;

/// Looks at every page of the notebook, since each may be a layer of the one that is built.
pub(crate) fn ensure(notebook: &Notebook) -> anyhow::Result<()> {
    for package in notebook.pages()? {
        ensure_page(notebook, &package)?;
    }
    Ok(())
}

fn ensure_page(notebook: &Notebook, package: &str) -> anyhow::Result<()> {
    let note = note_of(notebook, package);
    let now = fingerprint(notebook, package)?;
    let last_built = fs::read_to_string(&note).ok();
    if last_built.as_deref() == Some(&now) {
        return Ok(());
    }
    let src = notebook.page(package).join("src");
    if let Some(noted_at) = modified(&note)
        && newest(&src)? <= Some(noted_at)
    {
        let file = src.join("lib.rs");
        let touched = File::options().append(true).open(&file);
        let touched = touched.and_then(|file| file.set_modified(SystemTime::now()));
        touched.with_context(|| format!("make {} look as new as it is", file.display()))?;
    }
    write(&note, &now)
}

/// Lies with what was compiled, so that both are there or both are gone.
fn note_of(notebook: &Notebook, package: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty());
    let target = target.map_or_else(|| notebook.root.join("target"), PathBuf::from);
    target.join("notebook-sources").join(notebook.whose()).join(package)
}

fn newest(src: &Path) -> anyhow::Result<Option<SystemTime>> {
    Ok(layer_files(src)?.iter().filter_map(|file| modified(&src.join(file))).max())
}

fn modified(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|metadata| metadata.modified()).ok()
}
