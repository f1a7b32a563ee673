//! Finds out which edition of the workbook made a notebook, and explains what to do if it was an
//! earlier one.
//!
//! A notebook's `Cargo.toml` contains the number of its edition. Without a number, it's from the
//! first edition.

use std::error::Error;
use std::fmt;

use anyhow::bail;

use super::renames::{EDITIONS, StepRenames, since};
use super::{Notebook, manifest};
use crate::terminal::{Terminal, shown};

/// The edition of this workbook.
pub(crate) const CURRENT: u32 = EDITIONS[EDITIONS.len() - 1].number;

/// The error for a notebook that an earlier edition made.
#[derive(Debug)]
pub(crate) struct Outdated {
    /// The notebook's directory, as the reader would type it.
    dir: String,
    edition: u32,
    /// The steps that the reader has begun.
    pages: Vec<String>,
}

/// Fails with [`Outdated`] if an earlier edition made the notebook, and with another error if a
/// later one did. Changes nothing.
pub(crate) fn check(notebook: &Notebook) -> anyhow::Result<()> {
    super::upgrade::check_interrupted(notebook)?;
    let edition = edition_of(notebook)?;
    let dir = shown(&notebook.dir);
    if edition > CURRENT {
        bail!(
            "the notebook in {dir} was made by a later edition of this workbook ({edition}, and \
             this is {CURRENT}). Update the workbook, for example with `git pull`."
        );
    }
    if edition < CURRENT {
        return Err(Outdated { dir, edition, pages: notebook.pages()? }.into());
    }
    Ok(())
}

/// Returns the edition that made a notebook, or the current one if there's no notebook yet.
pub(crate) fn edition_of(notebook: &Notebook) -> anyhow::Result<u32> {
    let file = notebook.dir.join("Cargo.toml");
    if file.exists() {
        return Ok(manifest::edition(&file)?.unwrap_or(1));
    }
    // Without its manifest, we can still tell a notebook of the first edition by its pages'
    // dependencies.
    if !notebook.dir.is_dir() {
        return Ok(CURRENT);
    }
    let manifests = notebook.pages()?.into_iter().filter_map(|package| {
        manifest::dependencies(&notebook.page(&package).join("Cargo.toml")).ok()
    });
    let mut dependencies = manifests.flatten();
    Ok(if dependencies.any(|name| name == "workbook") { 1 } else { CURRENT })
}

impl fmt::Display for Outdated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outdated { dir, edition, .. } = self;
        write!(f, "an earlier edition of this workbook ({edition}) made the notebook in {dir}")
    }
}

impl Error for Outdated {}

impl Outdated {
    /// Explains what happened, what to do, and what was renamed.
    pub(crate) fn explanation(&self, terminal: &Terminal) -> String {
        let dir = &self.dir;
        let mut text = terminal.wrap(
            "",
            &format!(
                "Your notebook in {dir} was made by an earlier edition of this workbook, and the \
                 workbook's own part of a page has changed since, so it doesn't fit any more. I \
                 haven't changed anything in it."
            ),
        );
        text += &format!("\n    {}\n\n", terminal.bold("cargo run -- upgrade"));
        text += &terminal.wrap(
            "",
            &format!(
                "moves it to {dir}-before-upgrade, makes fresh pages for the steps you've begun, \
                 and carries over what you wrote. It deletes nothing, and it says what became of \
                 each exercise."
            ),
        );
        let renamed = self.renamed();
        if !renamed.is_empty() {
            text += &format!("\nWhat was renamed:\n{renamed}");
        }
        text
    }

    /// Lists what was renamed since the notebook was made, as far as its pages are concerned.
    fn renamed(&self) -> String {
        let mut text = String::new();
        for edition in EDITIONS.iter().filter(|edition| edition.number > self.edition) {
            for (old, new) in edition.crates {
                text += &format!("  crate {old} → {new}\n");
            }
        }
        for package in &self.pages {
            let lines: String = since(self.edition, package).map(renames).collect();
            if !lines.is_empty() {
                text += &format!("  {package}\n{lines}");
            }
        }
        text
    }
}

fn renames(step: &StepRenames) -> String {
    let kinds = [("src/", step.files), ("exercise ", step.exercises), ("", step.code)];
    let mut text = String::new();
    for (kind, pairs) in kinds {
        // A file with the same name is one that a page no longer has, and such an exercise is new.
        for (old, new) in pairs.iter().filter(|(old, new)| old != new) {
            text += &format!("    {kind}{old} → {new}\n");
        }
    }
    text
}
