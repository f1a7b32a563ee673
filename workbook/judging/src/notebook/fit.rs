//! Whether a notebook fits this workbook, and what to do if it doesn't.
//!
//! A notebook's `Cargo.toml` contains the number of its edition. Give `EDITION` the next number
//! when pages that were made so far no longer work with the scenes and trials: then notebooks are
//! carried over (see `carried.rs`). A step can get a new exercise without that: a page that lacks
//! one is told so.
//!
//! A notebook whose edition isn't known is never changed: the reader moves it aside, begins a new
//! one, and copies what they wrote.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

use super::{Notebook, manifest};
use crate::terminal::{Terminal, shown};

/// The edition of the notebooks that this workbook makes.
pub(crate) const EDITION: u32 = 3;

/// The error for a notebook that doesn't fit.
#[derive(Debug)]
pub struct Misfit {
    /// The notebook's directory.
    dir: PathBuf,
    /// What was found, as a part of a sentence.
    found: String,
    /// The steps that have a page.
    pages: Vec<String>,
}

impl Notebook {
    /// Carries a notebook of an earlier edition over. Fails with `Misfit` if its edition isn't
    /// known.
    pub fn check_edition(&self) -> anyhow::Result<()> {
        self.carry_over()?;
        let file = self.dir.join("Cargo.toml");
        // A notebook that has lost its manifest gets another one.
        if !file.exists() {
            return Ok(());
        }
        let file_name = shown(&file);
        let found = match manifest::edition(&file)? {
            Some(EDITION) => return Ok(()),
            Some(other) => {
                format!("{file_name} says edition {other}, and the workbook has {EDITION}")
            }
            None => {
                format!("{file_name} doesn't say `edition = {EDITION}`, as the workbook's would")
            }
        };
        Err(Misfit { dir: self.dir.clone(), found, pages: self.pages()? }.into())
    }
}

impl Misfit {
    /// Says what was found, how to start over, and where the old bodies will be.
    pub fn explanation(&self, terminal: &Terminal) -> String {
        let Misfit { dir, found, pages } = self;
        let aside = aside(dir);
        let mut text = terminal.wrap(
            "",
            &format!(
                "Your notebook doesn't fit this workbook: {found}. Nothing in it was changed. To \
                 move it aside and begin a new one:"
            ),
        );
        let command = format!("{} && cargo run -p step01_fd", moving(dir, &aside));
        text += &format!("\n    {}\n\n", terminal.bold(&command));
        let what_follows = "Then copy what you've written: the body of each exercise, from between its \
                            ANCHOR lines to the same function of the new page. You'll find it in";
        text += &terminal.wrap("", what_follows);
        for package in pages {
            text += &format!("    {}\n", shown(&aside.join(package).join("src")));
        }
        text
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "your notebook doesn't fit this workbook: {}", self.found)
    }
}

impl Error for Misfit {}

/// Returns a free name beside the notebook: `work-before`, or if that exists, `work-before-2` and
/// so on.
pub(super) fn aside(dir: &Path) -> PathBuf {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let first = dir.with_file_name(format!("{name}-before"));
    let others = (2..).map(|count| dir.with_file_name(format!("{name}-before-{count}")));
    std::iter::once(first).chain(others).find(|path| !path.exists()).unwrap_or_default()
}

/// Returns the command that moves the notebook, as the reader types it where they stand.
fn moving(dir: &Path, aside: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    match (dir.parent(), dir.file_name(), aside.file_name()) {
        // Nothing can move the directory that it's started in by the name `.`.
        (Some(above), Some(dir_name), Some(aside)) if here.starts_with(dir) => {
            let [name, aside] = [dir_name, aside].map(|name| name.to_string_lossy());
            format!("cd {} && mv {name} {aside}", shown(above))
        }
        _ => format!("mv {} {}", shown(dir), shown(aside)),
    }
}
