//! The lines of a scene and of the functions that take part in its run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use judging::workbook::read;
use serde::Serialize;

/// A file with scenes.
pub(super) struct Source {
    /// The file's path, relative to `experiments/scenes/`.
    pub(super) name: String,
    lines: Vec<String>,
}

/// The lines of one of the file's items, usually a function.
#[derive(Debug, Serialize)]
pub(super) struct Excerpt {
    pub(super) first_line: usize,
    pub(super) lines: Vec<String>,
}

impl Source {
    /// Reads the file that contains a scene.
    pub(super) fn of_scene(step: &Path, scene: &str) -> anyhow::Result<Self> {
        let dir = step.join("experiments/scenes");
        let mut files: Vec<PathBuf> = fs::read_dir(&dir)
            .with_context(|| format!("list {}", dir.display()))?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        files.sort();
        let begin = format!("fn {scene}(");
        for file in files {
            let lines: Vec<String> = read(&file)?.lines().map(str::to_owned).collect();
            if lines.iter().any(|line| line.starts_with(&begin)) {
                let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                return Ok(Source { name, lines });
            }
        }
        bail!("no file in {} has a scene `{scene}`", dir.display())
    }

    /// Returns a line by its number.
    pub(super) fn line(&self, number: usize) -> &str {
        number.checked_sub(1).and_then(|index| self.lines.get(index)).map_or("", String::as_str)
    }

    /// Returns the number of the line where a scene's function begins.
    pub(super) fn beginning_of(&self, scene: &str) -> usize {
        let begin = format!("fn {scene}(");
        self.lines.iter().position(|line| line.starts_with(&begin)).map_or(1, |index| index + 1)
    }

    /// Returns the functions that contain these lines, in the file's order.
    pub(super) fn excerpts(&self, lines: &[usize]) -> Vec<Excerpt> {
        let mut excerpts: Vec<Excerpt> = Vec::new();
        let mut sorted = lines.to_vec();
        sorted.sort_unstable();
        for line in sorted {
            let is_in = |excerpt: &Excerpt| line < excerpt.first_line + excerpt.lines.len();
            if !excerpts.last().is_some_and(is_in) {
                excerpts.extend(self.item_with(line));
            }
        }
        excerpts
    }

    /// Returns the item that contains a line. Since rustfmt has formatted the file, the item's
    /// first and last lines begin in the first column, and otherwise only the `)` after the
    /// parameters of a long signature does.
    fn item_with(&self, line: usize) -> Option<Excerpt> {
        let is_inside = |line: &&String| line.is_empty() || line.starts_with([' ', ')', '}']);
        let before = self.lines.get(..line)?.iter().rev().take_while(is_inside).count();
        let begin = line.checked_sub(before + 1)?;
        let length = self.lines[begin..].iter().position(|line| line == "}")? + 1;
        let lines = self.lines[begin..begin + length].to_vec();
        Some(Excerpt { first_line: begin + 1, lines })
    }
}
