//! The lines of a scene and of the functions that take part in its run.

use std::path::Path;

use anyhow::bail;
use judging::notebook::source::{Found, functions};
use judging::workbook::{file_names, read};
use serde::Serialize;

/// A file with scenes.
pub(super) struct Source {
    /// The file's path, relative to `experiments/scenes/`.
    pub(super) name: String,
    text: String,
}

/// The lines of one of the file's functions.
#[derive(Debug, Serialize)]
pub(super) struct Excerpt {
    pub(super) first_line: usize,
    pub(super) lines: Vec<String>,
}

impl Source {
    /// Reads the file that contains a scene.
    pub(super) fn of_scene(step: &Path, scene: &str) -> anyhow::Result<Self> {
        let dir = step.join("experiments/scenes");
        for name in file_names(&dir)? {
            let text = read(&dir.join(&name))?;
            if function(&text, scene).is_some() {
                return Ok(Source { name, text });
            }
        }
        bail!("no file in {} has a scene `{scene}`", dir.display())
    }

    /// Returns a line by its number.
    pub(super) fn line(&self, number: usize) -> &str {
        number.checked_sub(1).and_then(|index| self.text.lines().nth(index)).unwrap_or("")
    }

    /// Returns the number of the line where a scene's function begins.
    pub(super) fn beginning_of(&self, scene: &str) -> usize {
        function(&self.text, scene).map_or(1, |it| it.line())
    }

    /// Returns the functions that contain these lines, in the file's order.
    pub(super) fn excerpts(&self, lines: &[usize]) -> Vec<Excerpt> {
        let excerpts = functions(&self.text).into_iter().map(|it| Excerpt {
            first_line: it.line(),
            lines: it.docs_and_code().1.lines().map(str::to_owned).collect(),
        });
        let has =
            |it: &Excerpt, line| (it.first_line..it.first_line + it.lines.len()).contains(line);
        excerpts.filter(|it| lines.iter().any(|line| has(it, line))).collect()
    }
}

/// Returns the function that plays a scene.
fn function<'a>(text: &'a str, scene: &str) -> Option<Found<'a>> {
    functions(text).into_iter().find(|it| it.header.is_none() && it.name() == scene)
}
