//! What an upgrade does with a reader's files that are no exercises: notes, hints, folders.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Notebook;
use super::edition::edition_of;
use super::renames::EDITIONS;
use crate::progress::hint_file;
use crate::workbook::file_names;

/// Copies files next to the pages, such as notes and a `.gitignore`.
pub(super) fn copy_what_the_reader_added(old: &Path, new: &Path) -> anyhow::Result<()> {
    for name in file_names(old)? {
        let (from, to) = (old.join(&name), new.join(&name));
        if from.is_file() && !to.exists() && name != "Cargo.lock" && name != ".git" {
            copy(&from, &to)?;
        }
    }
    Ok(())
}

/// Lists what the reader added to the old notebook and the new one lacks: folders next to the pages,
/// and files in the pages.
pub(super) fn left_behind(old: &Path, new: &Notebook) -> anyhow::Result<Vec<PathBuf>> {
    let packages = new.pages()?;
    let edition = EDITIONS.iter().flat_map(|edition| edition.steps);
    let renamed: Vec<PathBuf> = edition
        .flat_map(|step| {
            step.files.iter().map(|(old, _)| Path::new(step.package).join("src").join(old))
        })
        .collect();
    let mut left = Vec::new();
    for name in file_names(old)? {
        let is_ours =
            packages.contains(&name) || [".state", ".cargo", ".git", "target"].contains(&&*name);
        if !is_ours && !new.dir.join(&name).exists() {
            left.push(old.join(&name));
        }
    }
    for package in packages {
        for dir in [Path::new(&package).to_owned(), Path::new(&package).join("src")] {
            let Ok(names) = file_names(&old.join(&dir)) else { continue };
            let added = names
                .into_iter()
                .map(|name| dir.join(name))
                .filter(|file| !new.dir.join(file).exists() && !renamed.contains(file));
            left.extend(added.map(|file| old.join(file)));
        }
    }
    Ok(left)
}

/// Copies the verdicts, the numbers of hints shown, and the bodies that `reset` replaced.
pub(super) fn copy_state(old: &Notebook, new: &Notebook) -> anyhow::Result<()> {
    for part in ["verdicts", "hints", "replaced"] {
        let dir = old.state().join(part);
        for name in file_names(&dir).unwrap_or_default() {
            copy(&dir.join(&name), &new.state().join(part).join(&name))?;
        }
    }
    let edition = edition_of(old)?;
    let later = EDITIONS.iter().filter(|later| later.number > edition);
    for (old_name, new_name) in later.flat_map(|it| it.steps).flat_map(|step| step.exercises) {
        let shown_before = hint_file(new, old_name);
        if shown_before.exists() && !hint_file(new, new_name).exists() {
            copy(&shown_before, &hint_file(new, new_name))?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    if let Some(dir) = to.parent() {
        fs::create_dir_all(dir).with_context(|| format!("make the directory {}", dir.display()))?;
    }
    fs::copy(from, to).with_context(|| format!("copy {} to {}", from.display(), to.display()))?;
    Ok(())
}
