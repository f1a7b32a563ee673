//! Checks that a notebook fits this workbook and, if it doesn't, says what to do.
//!
//! A notebook's `Cargo.toml` contains the number of its edition. Increment `EDITION` when existing
//! pages no longer work with the scenes and trials, and notebooks will be migrated (see
//! `carried.rs`). A step can get a new exercise without a new edition: we tell a reader whose page
//! lacks the exercise.
//!
//! We never change a notebook of an unknown edition. The reader moves that notebook aside, begins a
//! new one, and copies their bodies into it.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::Step;

use super::source::Function;
use super::source::read_sources;
use super::{Notebook, manifest};
use crate::terminal::{Terminal, shown};

/// The edition of the notebooks that this workbook creates.
pub(crate) const EDITION: u32 = 3;

/// The error for a notebook that doesn't fit.
#[derive(Debug)]
pub struct Misfit {
    /// The notebook's directory.
    dir: PathBuf,
    /// The difference that was found, as part of a sentence.
    found: String,
    /// The step with which to start over.
    begin: String,
    /// The steps that have a page.
    pages: Vec<String>,
}

impl Notebook {
    /// Migrates a notebook from an earlier edition. Fails with `Misfit` if the edition is unknown.
    pub fn check_edition(&self) -> anyhow::Result<()> {
        self.carry_over()?;
        let file = self.dir.join("Cargo.toml");
        // A notebook without a manifest gets a new one.
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
        Err(Misfit::of(self, found, "step01_fd")?.into())
    }

    /// Fails with `Misfit` if a page has an exercise in a different file than the workbook, or
    /// under a different name.
    pub(super) fn check_page(&self, step: &Step, reference: &Sources) -> anyhow::Result<()> {
        let src = self.page(step.package).join("src");
        if !src.is_dir() {
            return Ok(());
        }
        let page = read_sources(&src)?;
        for exercise in step.exercises {
            let found = moved(&exercise.name, &page, reference)
                .or_else(|| renamed(&exercise.name, &page, reference));
            if let Some((file, found)) = found {
                let found = format!("{} {found}", shown(&src.join(file)));
                return Err(Misfit::of(self, found, step.package)?.into());
            }
        }
        Ok(())
    }
}

/// The sources of a layer, each with its path relative to `src/`.
type Sources = [(PathBuf, String)];

/// Finds the page's file for an exercise if that file is unknown to the workbook and the page lacks
/// the workbook's file for the exercise.
fn moved<'a>(exercise: &str, page: &'a Sources, reference: &Sources) -> Option<(&'a Path, String)> {
    let (here, there) = (file_with(exercise, page)?, file_with(exercise, reference)?);
    let moved = !has(page, there) && !has(reference, here);
    moved.then(|| {
        (here, format!("has the exercise {exercise}, and the workbook's is in {}", there.display()))
    })
}

/// Finds the new name of an exercise that the page lacks, if the page's file has anchors that the
/// workbook lacks.
fn renamed<'a>(
    exercise: &str,
    page: &'a Sources,
    reference: &Sources,
) -> Option<(&'a Path, String)> {
    if file_with(exercise, page).is_some() {
        return None;
    }
    let there = file_with(exercise, reference)?;
    let (here, text) = page.iter().find(|(name, _)| name == there)?;
    let is_known =
        |anchor: &str| reference.iter().any(|(_, text)| anchors(text).any(|it| it == anchor));
    let is_function = |anchor: &str| matches!(Function::find(text, anchor), Ok(Some(_)));
    let odd = anchors(text).find(|anchor| !is_known(anchor) && is_function(anchor))?;
    Some((here, format!("has the exercise {odd}, and the workbook's has {exercise} instead")))
}

fn file_with<'a>(exercise: &str, sources: &'a Sources) -> Option<&'a Path> {
    let has_it = |text: &str| matches!(Function::find(text, exercise), Ok(Some(_)));
    sources.iter().find(|(_, text)| has_it(text)).map(|(name, _)| name.as_path())
}

fn has(sources: &Sources, file: &Path) -> bool {
    sources.iter().any(|(name, _)| name == file)
}

fn anchors(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.trim().strip_prefix("// ANCHOR: "))
}

impl Misfit {
    fn of(notebook: &Notebook, found: String, begin: &str) -> anyhow::Result<Misfit> {
        let pages = notebook.pages()?;
        Ok(Misfit { dir: notebook.dir.clone(), found, begin: begin.to_owned(), pages })
    }

    /// Returns a description of the difference, of how to start over, and of where the old bodies
    /// are.
    pub fn explanation(&self, terminal: &Terminal) -> String {
        let Misfit { dir, found, begin, pages } = self;
        let aside = aside(dir);
        let mut text = terminal.wrap(
            "",
            &format!(
                "Your notebook doesn't fit this workbook: {found}. Nothing in it was changed. To \
                 move it aside and begin a new one:"
            ),
        );
        let command = format!("{} && cargo run -p {begin}", moving(dir, &aside));
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

/// Returns an unused path next to the notebook: `work-before`, or if that exists, `work-before-2`
/// and so on.
pub(super) fn aside(dir: &Path) -> PathBuf {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let first = dir.with_file_name(format!("{name}-before"));
    let others = (2..).map(|count| dir.with_file_name(format!("{name}-before-{count}")));
    std::iter::once(first).chain(others).find(|path| !path.exists()).unwrap_or_default()
}

/// Returns the command that moves the notebook, as the reader would type it in the current
/// directory.
fn moving(dir: &Path, aside: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    match (dir.parent(), dir.file_name(), aside.file_name()) {
        // From inside a directory, one can't move it by the name `.`.
        (Some(above), Some(dir_name), Some(aside)) if here.starts_with(dir) => {
            let [name, aside] = [dir_name, aside].map(|name| name.to_string_lossy());
            format!("cd {} && mv {name} {aside}", shown(above))
        }
        _ => format!("mv {} {}", shown(dir), shown(aside)),
    }
}
