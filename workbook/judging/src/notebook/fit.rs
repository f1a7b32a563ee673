//! Checks that a notebook fits this workbook and, if it doesn't, says what to do.
//!
//! A notebook's `Cargo.toml` contains the number of the notebook's edition. Increment `EDITION`
//! when existing pages no longer work with the scenes and trials. Older notebooks are then migrated
//! (see `carried.rs`). A step can get a new exercise without a new edition, since opening an older
//! page reports the exercises that the page lacks.
//!
//! We never change a notebook of an unknown edition. The reader has to move that notebook aside,
//! begin a new notebook, and copy the bodies into the new notebook.

use std::path::{Path, PathBuf};

use anyhow::bail;

use super::{Notebook, manifest};
use crate::terminal::shown;

/// The edition of the notebooks that this workbook creates.
pub(crate) const EDITION: u32 = 3;

impl Notebook {
    /// Migrates the notebook if it belongs to an earlier edition. Fails if the workbook doesn't
    /// know the notebook's edition.
    pub fn check_edition(&self) -> anyhow::Result<()> {
        self.carry_over()?;
        let file = self.dir.join("Cargo.toml");
        // A notebook without a manifest gets a new manifest.
        if !file.exists() {
            return Ok(());
        }
        let says = match manifest::edition(&file)? {
            Some(EDITION) => return Ok(()),
            Some(other) => {
                format!("says edition {other} of the workbook, but this is edition {EDITION}")
            }
            None => format!("doesn't say `edition = {EDITION}`, which the workbook needs"),
        };
        bail!(
            "your notebook doesn't fit this workbook: {} {says}. The notebook wasn't changed. Move \
             {} to {}, begin a new notebook with `cargo run -p step01_fd`, and copy each exercise's \
             body, which is between the ANCHOR lines, to the same function of the new page",
            shown(&file),
            shown(&self.dir),
            shown(&aside(&self.dir))
        )
    }
}

/// Returns an unused path next to the notebook: `work-before`, or if that exists, `work-before-2`
/// and so on.
pub(super) fn aside(dir: &Path) -> PathBuf {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let first = dir.with_file_name(format!("{name}-before"));
    let others = (2..).map(|count| dir.with_file_name(format!("{name}-before-{count}")));
    std::iter::once(first).chain(others).find(|path| !path.exists()).unwrap_or_default()
}
