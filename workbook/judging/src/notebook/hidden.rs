//! Code that a page doesn't show, because it's close to an exercise's answer or because only trials
//! need it. A step's `exercises.toml` lists the hidden functions and files.
//!
//! The page still needs this code. So we cut it out of the reference and put it into the notebook's
//! own files in `.hidden/PACKAGE/…`, which the page's files include as modules. Functions that were
//! cut out of a file go into a child module of that file, so they can use everything that the file
//! can use.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use exercises::Hidden;

use super::items::{Found, functions, imports};
use super::tokens::tokens;
use super::{Notebook, source};
use crate::workbook::{read, with_our_line_ends, write_if_different};

/// The notebook's directory for the files with hidden code.
pub(crate) const DIR: &str = ".hidden";

/// Pairs of a file's path and the file's text.
type Files = Vec<(PathBuf, String)>;

/// A reference's sources, split into a visible and a hidden part.
pub(super) struct Parts {
    /// The page's sources. The paths are relative to `src/`.
    pub(super) page: Files,
    /// The hidden sources. The paths are relative to the package's directory in [`DIR`].
    hidden: Files,
    /// The hidden functions other than methods. Each entry contains the function's file, name and
    /// text.
    functions: Vec<(PathBuf, String, String)>,
}

impl Notebook {
    /// Reads the sources of a reference and splits them.
    pub(super) fn parts_of(&self, package: &str) -> anyhow::Result<Parts> {
        self.take_apart(package, exercises::hidden(&self.workbook.step(package))?)
    }

    fn take_apart(&self, package: &str, mut all: Vec<Hidden>) -> anyhow::Result<Parts> {
        let step = self.workbook.step(package);
        let mut page = source::read_sources(&step.join("src"))?;
        for (_, text) in &mut page {
            *text = with_our_line_ends(text);
        }
        let mut parts = Parts { page, hidden: Vec::new(), functions: Vec::new() };
        // Hide whole files first, because they can call functions that are hidden in other files.
        all.sort_by_key(|hidden| !hidden.functions.is_empty());
        for hidden in all {
            let done = match hidden.functions.as_slice() {
                [] => read(&step.join(&hidden.file))
                    .and_then(|text| parts.hide_file(package, &hidden, text)),
                _ => parts.hide_functions(package, &hidden),
            };
            done.with_context(|| format!("{package}/{}: hidden", exercises::FILE))?;
        }
        Ok(parts)
    }

    /// Creates or updates the files with the code that `pages` hide. A page that builds on one of
    /// these pages needs these files, too.
    pub(super) fn make_hidden_of(&self, pages: &[String]) -> anyhow::Result<()> {
        for page in pages {
            let hidden = exercises::hidden(&self.workbook.step(page))?;
            if !hidden.is_empty() {
                self.make_hidden(page, &self.take_apart(page, hidden)?)?;
            }
        }
        Ok(())
    }

    /// Creates or updates the files with the code that a page hides.
    pub(super) fn make_hidden(&self, package: &str, reference: &Parts) -> anyhow::Result<()> {
        for (name, text) in &reference.hidden {
            write_if_different(&self.dir.join(DIR).join(package).join(name), text)?;
        }
        Ok(())
    }
}

impl Parts {
    /// Returns the text of each hidden function of `file` that `body` calls. Doesn't include
    /// methods.
    pub(super) fn called_in(&self, file: &Path, body: &str) -> Vec<&str> {
        let calls =
            |name: &str| tokens(body, 0..body.len()).any(|token| &body[token.range] == name);
        let here = self.functions.iter().filter(|(it, name, _)| it == file && calls(name));
        here.map(|(_, _, whole)| whole.as_str()).collect()
    }

    /// Moves a file, which must be a module of `lib.rs`, to the hidden sources.
    fn hide_file(&mut self, package: &str, hidden: &Hidden, text: String) -> anyhow::Result<()> {
        let Hidden { file, because, .. } = hidden;
        let name = below_its_directory(file)?;
        let module = name.file_stem().unwrap_or_default().to_string_lossy();
        let declared = [format!("mod {module};"), format!("pub mod {module};")];
        let lib = self.page.iter_mut().find(|(name, _)| name == Path::new("lib.rs"));
        let (_, lib) = lib.context("there's no src/lib.rs")?;
        let mut lines: Vec<&str> = lib.lines().collect();
        let at = lines.iter().position(|line| declared.iter().any(|it| it == line));
        let mut at = at.with_context(|| format!("src/lib.rs has no line `mod {module};`"))?;
        // A file outside `src/` already has a path attribute and may depend on a feature. We remove
        // both attributes, because our own lines contain the path, and pages don't have features.
        let is_replaced = |line: &str| line.starts_with("#[path = ") || line.starts_with("#[cfg(");
        while at > 0 && is_replaced(lines[at - 1]) {
            at -= 1;
            lines.remove(at);
        }
        let shown = taken_in(package, Path::new("lib.rs"), name, because);
        lines.insert(at, shown.trim_end());
        *lib = lines.join("\n") + "\n";
        self.page.retain(|(name, _)| Path::new("src").join(name) != Path::new(file));
        self.hidden.push((name.to_owned(), head(package, file) + "\n" + &text));
        Ok(())
    }

    /// Moves functions and methods into a child module of their file.
    fn hide_functions(&mut self, package: &str, hidden: &Hidden) -> anyhow::Result<()> {
        let Hidden { file, because, .. } = hidden;
        let name = below_its_directory(file)?;
        let is_it = |(name, _): &(PathBuf, String)| Path::new("src").join(name) == Path::new(file);
        let index = self.page.iter().position(is_it);
        let index = index.with_context(|| format!("there's no {file}"))?;
        let text = self.page[index].1.clone();
        let mut found = functions(&text);
        for function in &hidden.functions {
            let times = found.iter().filter(|it| it.name() == function).count();
            ensure!(times > 0, "{file} has no function {function}");
            ensure!(times == 1, "{file} has the name {function} more than once");
        }
        found.retain(|it| hidden.functions.iter().any(|function| function == it.name()));
        let free: Vec<&Found<'_>> = found.iter().filter(|it| it.header.is_none()).collect();

        let mut page = text.clone();
        found.iter().rev().for_each(|it| cut(&mut page, it));
        self.page[index].1 = format!(
            "{page}\n{}{}",
            taken_in(package, name, name, because),
            taken_in_as(!free.is_empty())
        );
        for it in free {
            let all = self.page.iter_mut().chain(&mut self.hidden);
            for (_, other) in all.filter(|(other, _)| other != name) {
                *other = with_path(other, &module_of(name), it.name());
            }
            self.functions.push((name.to_owned(), it.name().to_owned(), it.whole().to_owned()));
        }

        let mut cut_out = head(package, file) + "#![allow(unused_imports)]\n\nuse super::*;\n";
        for import in imports(&text) {
            cut_out += &format!("{import}\n");
        }
        cut_out.extend(found.iter().map(Found::at_the_end));
        self.hidden.push((name.to_owned(), cut_out));
        Ok(())
    }
}

/// Returns a path such as `src/epoll.rs` without its first directory. Fails if the path has none.
fn below_its_directory(file: &str) -> anyhow::Result<&Path> {
    let below = file.split_once('/').map(|(_, below)| Path::new(below));
    below.with_context(|| format!("{file} is in no directory, such as `src/`"))
}

fn head(package: &str, file: &str) -> String {
    format!("// The code of {file} that a page of {package} hides. The workbook makes this file.\n")
}

/// Returns the lines that go above the declaration of a module with hidden code in one of a page's
/// files: a comment with the reason and a `#[path]` attribute.
pub(super) fn taken_in(package: &str, file: &Path, hidden: &Path, because: &str) -> String {
    let up = "../".repeat(file.components().count() + 1);
    let path = Path::new(DIR).join(package).join(hidden);
    format!("// Not shown here, because {because}.\n#[path = \"{up}{}\"]\n", path.display())
}

/// Returns the lines that declare a file's child module with hidden code. If the module contains
/// functions other than methods, the lines import them with a glob, so that a reader's function
/// with the same name takes precedence. Other files call the functions by the module's path.
pub(super) fn taken_in_as(has_functions: bool) -> &'static str {
    if has_functions { "pub(crate) mod hidden;\nuse hidden::*;\n" } else { "mod hidden;\n" }
}

/// Cuts out an item and the blank line after it. If the item is the last in its block or file, cuts
/// out the blank line before it instead.
fn cut(text: &mut String, item: &Found<'_>) {
    let lines = item.lines();
    let (before, after) = (&text[..lines.start], &text[lines.end..]);
    let ends = after.trim_start_matches(' ');
    let (before, after) = match (before.strip_suffix("\n\n"), after.strip_prefix('\n')) {
        (_, Some(after)) => (before.to_owned(), after),
        (Some(before), _) if ends.starts_with('}') || ends.is_empty() => {
            (format!("{before}\n"), after)
        }
        _ => (before.to_owned(), after),
    };
    *text = before + after;
}

/// Returns the name of a file's module.
fn module_of(file: &Path) -> String {
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match stem(file) {
        own if own == "mod" => file.parent().map(stem).unwrap_or_default(),
        own => own,
    }
}

/// Returns another file's text with the new path of a moved function: `epoll::failed_wait` becomes
/// `epoll::hidden::failed_wait`.
fn with_path(text: &str, module: &str, function: &str) -> String {
    let is_word =
        |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric() || char == '_');
    let path = format!("{module}::{function}");
    let (mut with_path, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(&path) {
        let (before, after) = (&rest[..at], &rest[at + path.len()..]);
        let is_it = !is_word(before.chars().next_back()) && !is_word(after.chars().next());
        with_path += before;
        with_path += &if is_it { format!("{module}::hidden::{function}") } else { path.clone() };
        rest = after;
    }
    with_path + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIB: &str = "mod a;\npub mod b;\n";
    const A: &str = "\
//! A.

use std::io;

impl A {
    pub fn shown(&self) {}

    /// Hidden.
    fn method(&self) {}
}

/// Hidden, too.
pub(crate) fn free() -> io::Result<()> {
    Ok(())
}
";

    fn parts() -> Parts {
        let b = "crate::a::free(); crate::a::free_too(); extra::free();\n";
        let page = [("a.rs", A), ("b.rs", "B\n"), ("deep/c.rs", b), ("lib.rs", LIB)];
        let page = page.map(|(name, text)| (PathBuf::from(name), text.to_owned()));
        Parts { page: page.to_vec(), hidden: Vec::new(), functions: Vec::new() }
    }

    fn hidden(file: &str, functions: &[&str]) -> Hidden {
        let functions = functions.iter().map(|&name| name.to_owned()).collect();
        Hidden { file: file.to_owned(), functions, because: "it's 9.1".to_owned() }
    }

    fn file<'a>(files: &'a Files, name: &str) -> &'a str {
        &files.iter().find(|(it, _)| it == Path::new(name)).unwrap().1
    }

    #[test]
    fn functions_and_methods_are_cut_out_and_taken_in_from_below() {
        let mut parts = parts();
        let b = "crate::a::free();\n".to_owned();
        parts.hide_file("step90", &hidden("src/b.rs", &[]), b).unwrap();
        parts.hide_functions("step90", &hidden("src/a.rs", &["free", "method"])).unwrap();
        assert_eq!(
            file(&parts.page, "a.rs"),
            "//! A.\n\nuse std::io;\n\nimpl A {\n    pub fn shown(&self) {}\n}\n\n\
             // Not shown here, because it's 9.1.\n#[path = \"../../.hidden/step90/a.rs\"]\n\
             pub(crate) mod hidden;\nuse hidden::*;\n"
        );
        assert_eq!(
            file(&parts.hidden, "a.rs"),
            "// The code of src/a.rs that a page of step90 hides. The workbook makes this file.\n\
             #![allow(unused_imports)]\n\nuse super::*;\nuse std::io;\n\n\
             impl A {\n    /// Hidden.\n    fn method(&self) {}\n}\n\n\
             /// Hidden, too.\npub(crate) fn free() -> io::Result<()> {\n    Ok(())\n}\n"
        );
        let calls = "crate::a::hidden::free(); crate::a::free_too(); extra::free();\n";
        assert_eq!(file(&parts.page, "deep/c.rs"), calls);
        assert!(file(&parts.hidden, "b.rs").ends_with("\ncrate::a::hidden::free();\n"));
    }

    #[test]
    fn a_body_is_known_to_call_what_is_hidden_from_its_page() {
        let mut parts = parts();
        parts.hide_functions("step90", &hidden("src/a.rs", &["free", "method"])).unwrap();
        let whole = "/// Hidden, too.\npub(crate) fn free() -> io::Result<()> {\n    Ok(())\n}\n";
        assert_eq!(parts.called_in(Path::new("a.rs"), "self.method(); free()"), [whole]);
        assert_eq!(parts.called_in(Path::new("a.rs"), "free_too() // free()"), [""; 0]);
        assert_eq!(parts.called_in(Path::new("b.rs"), "free()"), [""; 0]);
    }

    #[test]
    fn a_method_alone_needs_no_import() {
        let mut parts = parts();
        parts.hide_functions("step90", &hidden("src/a.rs", &["method"])).unwrap();
        assert!(file(&parts.page, "a.rs").ends_with("a.rs\"]\nmod hidden;\n"));
        assert!(file(&parts.page, "deep/c.rs").starts_with("crate::a::free();"));
    }

    #[test]
    fn a_whole_file_is_a_module_of_the_notebooks() {
        let mut parts = parts();
        parts.hide_file("step90", &hidden("src/b.rs", &[]), "B\n".to_owned()).unwrap();
        let expected = "mod a;\n// Not shown here, because it's 9.1.\n\
                        #[path = \"../../.hidden/step90/b.rs\"]\npub mod b;\n";
        assert_eq!(file(&parts.page, "lib.rs"), expected);
        assert!(parts.page.iter().all(|(name, _)| name != Path::new("b.rs")));
        assert!(file(&parts.hidden, "b.rs").ends_with("makes this file.\n\nB\n"));
    }

    #[test]
    fn a_file_beside_the_sources_is_found_in_the_notebook_too() {
        let mut parts = parts();
        let declared =
            "#[cfg(feature = \"experiments\")]\n#[path = \"../experiments/b.rs\"]\npub mod b;\n";
        parts.page[3].1 = declared.to_owned() + "mod a;\n";
        parts.hide_file("step90", &hidden("experiments/b.rs", &[]), String::new()).unwrap();
        let expected = "// Not shown here, because it's 9.1.\n\
                        #[path = \"../../.hidden/step90/b.rs\"]\npub mod b;\nmod a;\n";
        assert_eq!(file(&parts.page, "lib.rs"), expected);
    }

    #[test]
    fn a_name_that_is_not_found_is_named() {
        let error = |file: &str, functions: &[&str]| {
            let hidden = hidden(file, functions);
            match functions {
                [] => parts().hide_file("step90", &hidden, String::new()),
                _ => parts().hide_functions("step90", &hidden),
            }
            .unwrap_err()
            .to_string()
        };
        assert_eq!(error("src/a.rs", &["free", "shwon"]), "src/a.rs has no function shwon");
        assert_eq!(error("src/x.rs", &["free"]), "there's no src/x.rs");
        assert_eq!(error("src/deep/c.rs", &[]), "src/lib.rs has no line `mod c;`");
        assert!(error("lib.rs", &["free"]).contains("in no directory"));
    }
}
