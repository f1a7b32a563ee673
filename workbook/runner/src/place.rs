//! Where an exercise stands in the reader's files.

use std::path::PathBuf;

use anyhow::Context;

use crate::notebook::Notebook;
use crate::root::read;
use crate::source::{Function, layer_files};
use scene::Exercise;

/// An exercise in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The file.
    pub file: PathBuf,
    /// The line with `fn`; `None` if the reader's file has lost the anchors.
    pub line: Option<usize>,
}

impl Place {
    /// Finds an exercise on a page, or where it should be.
    pub(crate) fn of(
        notebook: &Notebook,
        package: &str,
        exercise: &Exercise,
    ) -> anyhow::Result<Place> {
        let src = notebook.page(package).join("src");
        for source in layer_files(&src).unwrap_or_default() {
            let file = src.join(source);
            let text = read(&file)?;
            // A reader may leave a file half edited: then only the line is lost.
            if let Ok(Some(function)) = Function::find(&text, exercise.name) {
                let line = Some(function.line());
                return Ok(Place { file, line });
            }
        }
        let reference = reference_file(notebook, package, exercise)?;
        let step = notebook.step(package).join("src");
        let file = src.join(reference.strip_prefix(step)?);
        Ok(Place { file, line: None })
    }
}

/// The file of the reference an exercise stands in.
pub(crate) fn reference_file(
    notebook: &Notebook,
    package: &str,
    exercise: &Exercise,
) -> anyhow::Result<PathBuf> {
    let src = notebook.step(package).join("src");
    let found = layer_files(&src)?.into_iter().find_map(|source| {
        let file = src.join(source);
        let text = read(&file).ok()?;
        let is_there = Function::find(&text, exercise.name).ok()?.is_some();
        is_there.then_some(file)
    });
    found.with_context(|| {
        format!("no file of {package}/src has a function between the anchors `{}`", exercise.name)
    })
}
