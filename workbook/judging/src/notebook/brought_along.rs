//! Brings the reader's own functions, modules and imports from an old page to a new page. A body
//! that moves to a new page brings along the items that it uses and that the new page lacks.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use super::items::{Found, functions, imports};
use super::page::Page;
use super::tokens::{TokenKind, tokens};
use crate::workbook::{read, write};

/// The exercises whose bodies use a function or module that was brought along, by the name of that
/// function or module.
pub(super) type Users = BTreeMap<String, BTreeSet<String>>;

/// The items that bodies use and a new page lacks.
#[derive(Default)]
pub(super) struct Used<'a> {
    before: &'a [(PathBuf, String)],
    reference: &'a [(PathBuf, String)],
    /// Functions of the old page, each with its file.
    functions: BTreeSet<(PathBuf, String)>,
    /// Modules of the old page, by their names.
    modules: BTreeSet<String>,
    pub(super) users: Users,
}

impl<'a> Used<'a> {
    /// Creates an empty collection. `before` contains the old page's sources, and `reference`
    /// contains the sources that a new page is created from.
    pub(super) fn new(before: &'a [(PathBuf, String)], reference: &'a [(PathBuf, String)]) -> Self {
        Used { before, reference, ..Used::default() }
    }

    /// Looks in an exercise's body, and in the functions that the body uses, for the names of items
    /// that the new page lacks.
    pub(super) fn look(&mut self, exercise: &str, file: &Path, body: &'a str) {
        let (before, reference) = (text_of(self.before, file), text_of(self.reference, file));
        let mut bodies = VecDeque::from([body]);
        let mut seen = BTreeSet::new();
        while let Some(body) = bodies.pop_front() {
            for word in words(body) {
                let is_theirs = |sources| !text_of(sources, &module_file(word)).is_empty();
                if !seen.insert(word) {
                    continue;
                }
                let is_module = is_theirs(self.before) && !is_theirs(self.reference);
                if is_module {
                    self.modules.insert(word.to_owned());
                }
                let theirs = named(before, word);
                let is_new = !theirs.is_empty() && named(reference, word).is_empty();
                if is_new {
                    self.functions.insert((file.to_owned(), word.to_owned()));
                    bodies.extend(theirs.iter().map(Found::whole));
                }
                if is_module || is_new {
                    self.users.entry(word.to_owned()).or_default().insert(exercise.to_owned());
                }
            }
        }
    }

    /// Adds to the page the modules, functions and imports that bodies use and the page lacks.
    /// Leaves out the imports in `without`.
    pub(super) fn bring_along(
        &self,
        page: &Page,
        without: &BTreeSet<String>,
    ) -> anyhow::Result<()> {
        let src = page.dir().join("src");
        let lib = src.join("lib.rs");
        for module in &self.modules {
            let file = module_file(module);
            write(&src.join(&file), text_of(self.before, &file))?;
            write(&lib, &format!("{}\nmod {module};\n", read(&lib)?))?;
        }
        for (name, function) in &self.functions {
            let file = src.join(name);
            let mut text = read(&file)?;
            let found = named(text_of(self.before, name), function);
            text.extend(found.iter().map(Found::at_the_end));
            write(&file, &text)?;
        }
        for (name, before) in self.before {
            let file = src.join(name);
            if file.exists() {
                let text = read(&file)?;
                write(&file, &with_imports(&text, before, without))?;
            }
        }
        Ok(())
    }
}

/// Returns a file's text with those imports from `before` that the text needs. Leaves out the
/// imports in `without` and any import with a name that the text already imports.
fn with_imports(text: &str, before: &str, without: &BTreeSet<String>) -> String {
    let known: BTreeSet<&str> = imports(text).flat_map(imported).collect();
    let is_used = |name: &str| words(text).any(|word| word == name);
    let is_needed = |import: &&str| {
        let names = imported(import);
        names.iter().all(|name| !known.contains(name))
            && names.into_iter().any(is_used)
            && !without.contains(*import)
    };
    let added: String = imports(before).filter(is_needed).flat_map(|it| [it, "\n"]).collect();
    match imports(text).next() {
        // The imports go below the file's header.
        Some(first) if !added.is_empty() => text.replacen(first, &(added + first), 1),
        _ => text.to_owned() + &added,
    }
}

/// Returns the names that an import provides: the last name of each path.
fn imported(import: &str) -> Vec<&str> {
    let (mut names, mut modules, mut last) = (Vec::new(), Vec::new(), "");
    for token in tokens(import, 0..import.len()) {
        match token.kind {
            TokenKind::Word => last = &import[token.range],
            TokenKind::Sign('{') => modules.push(last),
            TokenKind::Sign(sign @ (',' | '}' | ';')) => {
                let module = modules.last().copied().unwrap_or_default();
                names.push(if last == "self" { module } else { last });
                if sign == '}' {
                    modules.pop();
                }
                last = "";
            }
            _ => (),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let tokens = tokens(text, 0..text.len());
    tokens.filter(|token| token.kind == TokenKind::Word).map(|token| &text[token.range])
}

fn named<'a>(text: &'a str, name: &str) -> Vec<Found<'a>> {
    let mut all = functions(text);
    all.retain(|found| found.name() == name);
    all
}

/// Returns the text of a file, or an empty string if there's no such file.
fn text_of<'a>(sources: &'a [(PathBuf, String)], file: &Path) -> &'a str {
    sources.iter().find(|(name, _)| name == file).map_or("", |(_, text)| text)
}

fn module_file(word: &str) -> PathBuf {
    PathBuf::from(format!("{word}.rs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_is_added_where_it_is_used_and_no_name_comes_twice() {
        let now = "//! A file.\n\nuse std::io;\n\nfn f() { HashMap::new(); Read; Duration }\n";
        let before = "use std::collections::HashMap;\nuse std::io::{self, Read};\n\
                      use std::time::Instant;\n";
        let expected =
            now.replacen("use std::io;", "use std::collections::HashMap;\nuse std::io;", 1);
        let none = BTreeSet::new();
        assert_eq!(with_imports(now, before, &none), expected);
        assert_eq!(with_imports(&expected, before, &none), expected);
        let without = BTreeSet::from(["use std::collections::HashMap;".to_owned()]);
        assert_eq!(with_imports(now, before, &without), now);
    }

    #[test]
    fn an_import_brings_its_last_names() {
        assert_eq!(imported("use std::io;"), ["io"]);
        assert_eq!(imported("use a::{self, b, c::{D, E as F}};"), ["a", "b", "D", "F"]);
    }
}
