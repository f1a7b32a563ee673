//! Modules that a page takes from the step by path, because their code is close to the answer of an
//! exercise, or of no use to a reader.
//!
//! In the reference's `lib.rs`, such a module has a comment above it:
//!
//! ```text
//! // Not copied onto a page: its methods are like those of 3.4 to 3.7.
//! mod poll_like;
//! ```

use std::path::{Path, PathBuf};

/// How the comment begins.
const MARK: &str = "// Not copied onto a page: ";

/// Turns a step's sources into those of a page: drops the files of such modules, and lets `lib.rs`
/// find them in the step. `to_the_step` is the path from the page's `src` to the step's.
pub(crate) fn for_a_page(
    sources: Vec<(PathBuf, String)>,
    to_the_step: &str,
) -> Vec<(PathBuf, String)> {
    let is_lib = |name: &PathBuf| name == Path::new("lib.rs");
    let Some((_, lib)) = sources.iter().find(|(name, _)| is_lib(name)) else { return sources };
    let apart: Vec<PathBuf> = modules(lib).map(|module| format!("{module}.rs").into()).collect();
    let lib = by_path(lib, to_the_step);
    let mut sources = sources;
    sources.retain(|(name, _)| !apart.contains(name));
    for (_, text) in sources.iter_mut().filter(|(name, _)| is_lib(name)) {
        text.clone_from(&lib);
    }
    sources
}

/// Returns the modules that have the comment.
fn modules(lib: &str) -> impl Iterator<Item = &str> {
    let lines = lib.lines().zip(lib.lines().skip(1));
    lines.filter(|(line, _)| line.starts_with(MARK)).filter_map(|(_, line)| module(line))
}

fn module(line: &str) -> Option<&str> {
    line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ")?.strip_suffix(';')
}

fn by_path(lib: &str, to_the_step: &str) -> String {
    let mut text = String::new();
    let mut lines = lib.lines().peekable();
    while let Some(line) = lines.next() {
        text += line;
        text.push('\n');
        if line.starts_with(MARK)
            && let Some(module) = lines.peek().and_then(|line| module(line))
        {
            text += &format!("#[path = \"{to_the_step}/{module}.rs\"]\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marked_module_stays_in_the_step_and_the_others_come_along() {
        let lib = "mod a;\n// Not copied onto a page: it's like 1.1.\npub mod b;\n";
        let sources = [("a.rs", "A"), ("b.rs", "B"), ("lib.rs", lib)];
        let sources = sources.map(|(name, text)| (PathBuf::from(name), text.to_owned()));
        let page = for_a_page(sources.to_vec(), "../../step/src");
        let names: Vec<&str> = page.iter().filter_map(|(name, _)| name.to_str()).collect();
        assert_eq!(names, ["a.rs", "lib.rs"]);
        assert!(page[1].1.ends_with("1.1.\n#[path = \"../../step/src/b.rs\"]\npub mod b;\n"));
    }
}
