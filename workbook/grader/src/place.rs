//! The directories that grading needs.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::Context;

use judging::workbook::Workbook;

/// The directories that grading needs, below `target/`.
pub(super) struct Place {
    pub(super) workbook: Workbook,
    dir: PathBuf,
}

impl Place {
    pub(super) fn make(workbook: &Workbook) -> anyhow::Result<Place> {
        let place = Place { workbook: workbook.clone(), dir: workbook.root.join("target/grade") };
        fs::create_dir_all(&place.dir).with_context(|| format!("make {}", place.dir.display()))?;
        Ok(place)
    }

    /// What's compiled for all notebooks is kept here for the next time. Each worker has its own,
    /// because cargo locks it, and then only one notebook could be compiled at a time.
    pub(super) fn build(&self, worker: usize) -> PathBuf {
        self.dir.join(format!("build-{worker}"))
    }

    pub(super) fn notebook(&self, index: usize) -> PathBuf {
        self.dir.join(format!("notebook-{index}"))
    }

    /// Returns a directory for temporary files, outside the checkout and with a short name, because
    /// a socket's path can't be long.
    pub(super) fn temporary(index: usize) -> PathBuf {
        env::temp_dir().join(format!("workbook-grade-{}-{index}", std::process::id()))
    }
}
