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
    mut sources: Vec<(PathBuf, String)>,
    to_the_step: &str,
) -> Vec<(PathBuf, String)> {
    let Some((_, lib)) = sources.iter_mut().find(|(name, _)| name == Path::new("lib.rs")) else {
        return sources;
    };
    let (mut text, mut apart, mut is_marked) = (String::new(), Vec::new(), false);
    for line in lib.lines() {
        if let Some(module) = module(line).filter(|_| is_marked) {
            text += &format!("#[path = \"{to_the_step}/{module}.rs\"]\n");
            apart.push(PathBuf::from(format!("{module}.rs")));
        }
        text += line;
        text.push('\n');
        is_marked = line.starts_with(MARK);
    }
    *lib = text;
    sources.retain(|(name, _)| !apart.contains(name));
    sources
}

fn module(line: &str) -> Option<&str> {
    line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ")?.strip_suffix(';')
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
