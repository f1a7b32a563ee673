//! Reads a layer's source files and creates a page's starting versions of these files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

pub use super::function::Function;
pub use super::items::{Found, functions};
use super::tokens::{Token, TokenKind, tokens};
use crate::workbook::read_as_it_is;
use exercises::Exercise;

/// Returns one of the reference's files with a `todo!` as the body of each of these exercises.
pub(crate) fn starter<'a>(
    reference: &str,
    exercises: impl IntoIterator<Item = &'a Exercise>,
) -> anyhow::Result<String> {
    let mut text = reference.to_owned();
    for exercise in exercises {
        if let Some(function) = Function::find(&text, &exercise.name)? {
            text = function.starter(exercise);
        }
    }
    Ok(text)
}

/// Lists the paths of a layer's source files, relative to `src/`. Leaves out the step's program,
/// which isn't part of the layer.
pub fn layer_files(src: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(src, Path::new(""), &mut files)?;
    files.retain(|file| !is_of_the_program(file));
    files.sort();
    Ok(files)
}

/// Reads a layer's source files.
pub(crate) fn read_sources(src: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
    layer_files(src)?
        .into_iter()
        .map(|name| Ok((name.clone(), read_as_it_is(&src.join(name))?)))
        .collect()
}

fn is_of_the_program(file: &Path) -> bool {
    let programs_own = ["main.rs", "scenes", "trials"];
    programs_own.iter().any(|name| file.starts_with(name))
}

fn collect(src: &Path, under: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let dir = src.join(under);
    for entry in fs::read_dir(&dir).with_context(|| format!("list {}", dir.display()))? {
        let entry = entry?;
        // Skip an editor's own files. For example, `.#lib.rs` is an Emacs lock file, a dangling
        // link.
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let name = under.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(src, &name, files)?;
        } else if name.extension().is_some_and(|extension| extension == "rs")
            // Reading a FIFO would take forever.
            && fs::metadata(entry.path()).is_ok_and(|it| it.is_file())
        {
            files.push(name);
        }
    }
    Ok(())
}

/// Counts the `todo!`s in the code of a file.
pub(crate) fn todos(text: &str) -> usize {
    let tokens: Vec<Token> = tokens(text, 0..text.len()).collect();
    let is_todo = |pair: &&[Token]| {
        &text[pair[0].range.clone()] == "todo" && pair[1].kind == TokenKind::Sign('!')
    };
    tokens.windows(2).filter(is_todo).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_todo_counts_only_in_the_code() {
        assert_eq!(todos("if ready { 1 } else { todo!() } // todo!()"), 1);
        assert_eq!(todos("let todo = \"todo!()\"; /* todo!() */ todo"), 0);
    }
}
