//! Pages that were begun in a notebook of edition 1.
//!
//! Their `lib.rs` has the step's own files, by path, as modules for what's hidden:
//!
//! ```text
//! // Not copied onto a page: it's part of the answer to 2.3.
//! #[path = "../../../step02_epoll/src/failed.rs"]
//! mod failed;
//! ```
//!
//! Today such modules are in the notebook, and those of step 02 are below the files that they
//! belong to.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::hidden::{DIR, taken_in, taken_in_as};
use super::page::read_sources;
use super::tokens::tokens;
use crate::workbook::write;

/// Lets a page in `src` find what's hidden where it is today. A page that does so already stays as
/// it is.
pub fn carry_over(package: &str, src: &Path) -> anyhow::Result<()> {
    for (name, text) in carried_over(package, &read_sources(src)?) {
        let file = src.join(name);
        write(&file, &text).with_context(|| format!("carry over {}", file.display()))?;
    }
    Ok(())
}

/// Returns the files of a page that have to change, with their new text. Each has its path relative
/// to `src/`.
///
/// What the reader wrote stays as it is, even if it uses a function that's elsewhere now.
pub fn carried_over(package: &str, sources: &[(PathBuf, String)]) -> Vec<(PathBuf, String)> {
    let mut page = sources.to_vec();
    match package {
        "step02_epoll" => {
            let has_failed = Module::in_lib(&page, package, "failed").is_some();
            if has_failed {
                take_in(&mut page, package, "epoll.rs", "it's like the answer to 2.3", true);
                leave_failed(&mut page, package);
            }
            if remove(&mut page, package, "writable") {
                take_in(&mut page, package, "event.rs", "it's nearly the answer to 2.4", false);
            }
            remove(&mut page, package, "precise");
        }
        "step03_selector" => find_in_the_notebook(&mut page, package, "poll_like"),
        "step06_tasks" => find_in_the_notebook(&mut page, package, "for_trials"),
        _ => (),
    }
    let before = sources.iter();
    page.into_iter().zip(before).filter(|(now, before)| now != *before).map(|(it, _)| it).collect()
}

/// The sources of a page, each file relative to `src/`.
type Sources = [(PathBuf, String)];

/// A module in `lib.rs` with the file of a step.
struct Module {
    /// Its lines in `lib.rs`, with the comment above.
    lines: std::ops::Range<usize>,
    /// The line with the path.
    path: usize,
}

impl Module {
    fn in_lib(page: &Sources, package: &str, name: &str) -> Option<Module> {
        let (_, lib) = page.iter().find(|(file, _)| file == Path::new("lib.rs"))?;
        let lines: Vec<&str> = lib.lines().map(str::trim).collect();
        let is_path = |line: &&str| {
            line.starts_with("#[path = \"")
                && line.ends_with(&format!("/{package}/src/{name}.rs\"]"))
        };
        let path = lines.iter().position(is_path)?;
        let declared = lines.get(path + 1)?;
        let is_declared = declared.trim_start_matches("pub ") == format!("mod {name};");
        let above = path.checked_sub(1).map_or("", |above| lines[above]);
        let has_comment = above.starts_with("// Not copied onto a page: ");
        let first = if has_comment { path - 1 } else { path };
        is_declared.then_some(Module { lines: first..path + 2, path })
    }
}

/// Lets a module be found among the files that the notebook hides.
fn find_in_the_notebook(page: &mut Sources, package: &str, module: &str) {
    if let Some(Module { path, .. }) = Module::in_lib(page, package, module) {
        let line = format!("#[path = \"../../{DIR}/{package}/{module}.rs\"]\n");
        replace_in_lib(page, path..path + 1, &line);
    }
}

/// Removes a module. Returns false if there's none.
fn remove(page: &mut Sources, package: &str, module: &str) -> bool {
    let found = Module::in_lib(page, package, module);
    found.is_some_and(|Module { lines, .. }| {
        replace_in_lib(page, lines, "");
        true
    })
}

/// What the files of an old page have for a function that's in `epoll.rs` now, and what they'd have
/// today.
const IMPORT: [&str; 2] =
    ["use crate::failed::failed_wait;", "use crate::epoll::hidden::failed_wait;"];

/// Removes the module `failed`, unless the reader uses it, too. Then its function is found under
/// both names.
fn leave_failed(page: &mut Sources, package: &str) {
    for file in ["poll.rs", "select.rs"] {
        change(page, file, |text| text.replace(IMPORT[0], IMPORT[1]));
    }
    let all_tokens = page
        .iter()
        .flat_map(|(_, text)| tokens(text, 0..text.len()).map(move |token| &text[token.range]));
    // The first is that of `lib.rs`.
    if all_tokens.filter(|token| *token == "failed").count() < 2 {
        remove(page, package, "failed");
    } else if let Some(Module { lines, .. }) = Module::in_lib(page, package, "failed") {
        let module = "// You use this by the name that it had before.\n\
                      mod failed {\n    pub(crate) use crate::epoll::hidden::failed_wait;\n}\n";
        replace_in_lib(page, lines, module);
    }
}

/// Adds a module with what's hidden of a file at the file's end.
fn take_in(page: &mut Sources, package: &str, file: &str, because: &str, has_functions: bool) {
    let name = Path::new(file);
    let module = taken_in(package, name, name, because) + taken_in_as(has_functions);
    change(page, file, |text| {
        let end = if text.ends_with('\n') { "\n" } else { "\n\n" };
        format!("{text}{}", with_line_ends_of(text, &format!("{end}{module}")))
    });
}

/// Replaces lines of `lib.rs`, with the blank line above if nothing else is left between two.
fn replace_in_lib(page: &mut Sources, lines: std::ops::Range<usize>, new: &str) {
    change(page, "lib.rs", |text| {
        let old: Vec<&str> = text.split_inclusive('\n').collect();
        let is_blank = |line: Option<&&str>| line.is_none_or(|line| line.trim().is_empty());
        let above = lines.start.checked_sub(1);
        let is_alone = above.is_some_and(|above| is_blank(old.get(above)))
            && is_blank(old.get(lines.end))
            && new.is_empty();
        let start = if is_alone { lines.start - 1 } else { lines.start };
        let (before, after) = (old[..start].concat(), old[lines.end..].concat());
        format!("{before}{}{after}", with_line_ends_of(text, new))
    });
}

fn change(page: &mut Sources, file: &str, with: impl FnOnce(&str) -> String) {
    if let Some((_, text)) = page.iter_mut().find(|(name, _)| name == Path::new(file)) {
        *text = with(text);
    }
}

fn with_line_ends_of(text: &str, new: &str) -> String {
    if text.contains("\r\n") { new.replace('\n', "\r\n") } else { new.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end of the `lib.rs` of step 02.
    const LIB: &str = "\
mod timeout;

// Not copied onto a page: it's part of the answer to 2.3.
#[path = \"../../../step02_epoll/src/failed.rs\"]
mod failed;
// Not copied onto a page: its wait is like that of 2.3.
#[path = \"../../../step02_epoll/src/precise.rs\"]
mod precise;
// Not copied onto a page: it's nearly the answer to 2.4.
#[path = \"../../../step02_epoll/src/writable.rs\"]
mod writable;

pub use epoll::Epoll;
";

    fn page(epoll: &str) -> Vec<(PathBuf, String)> {
        let poll = "use crate::failed::failed_wait;\n\nfn wait() { failed_wait() }\n";
        let files = [("epoll.rs", epoll), ("event.rs", "fn is_readable() {}"), ("lib.rs", LIB)];
        let files = [files[0], files[1], files[2], ("mine.rs", "// Mine.\n"), ("poll.rs", poll)];
        files.map(|(name, text)| (PathBuf::from(name), text.to_owned())).to_vec()
    }

    fn carried(package: &str, page: &[(PathBuf, String)]) -> Vec<(String, String)> {
        let changed = carried_over(package, page).into_iter();
        changed.map(|(name, text)| (name.display().to_string(), text)).collect()
    }

    #[test]
    fn what_was_beside_is_taken_in_where_it_belongs() {
        let expected = [
            (
                "epoll.rs",
                "fn wait() {}\n\n// Not shown here, because it's like the answer to 2.3.\n\
                 #[path = \"../../.hidden/step02_epoll/epoll.rs\"]\n\
                 pub(crate) mod hidden;\nuse hidden::*;\n",
            ),
            (
                "event.rs",
                "fn is_readable() {}\n\n// Not shown here, because it's nearly the answer to 2.4.\n\
                 #[path = \"../../.hidden/step02_epoll/event.rs\"]\nmod hidden;\n",
            ),
            ("lib.rs", "mod timeout;\n\npub use epoll::Epoll;\n"),
            ("poll.rs", "use crate::epoll::hidden::failed_wait;\n\nfn wait() { failed_wait() }\n"),
        ];
        let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(carried("step02_epoll", &page("fn wait() {}\n")), expected);
    }

    #[test]
    fn a_body_that_uses_what_was_beside_stays_and_still_finds_it() {
        let body = "fn wait() { crate::failed::failed_wait() }\n";
        let carried = carried("step02_epoll", &page(body));
        assert!(carried[0].1.starts_with(body), "{}", carried[0].1);
        assert_eq!(
            carried[2].1,
            "mod timeout;\n\n// You use this by the name that it had before.\nmod failed {\n    \
             pub(crate) use crate::epoll::hidden::failed_wait;\n}\n\npub use epoll::Epoll;\n"
        );
    }

    #[test]
    fn a_page_that_is_up_to_date_or_has_a_module_of_the_readers_own_stays_as_it_is() {
        let mut page = page("fn wait() {}\n");
        for (name, text) in carried_over("step02_epoll", &page) {
            let (_, before) = page.iter_mut().find(|(it, _)| *it == name).unwrap();
            *before = text;
        }
        assert_eq!(carried("step02_epoll", &page), []);
        let mine = "#[path = \"../mine/step02_epoll.rs\"]\nmod failed;\nmod precise;\n";
        page[2].1 = mine.to_owned();
        assert_eq!(carried("step02_epoll", &page), []);
        assert_eq!(carried("step01_fd", &self::page("")), []);
    }

    #[test]
    fn a_whole_file_is_found_in_the_notebook_whatever_the_readers_line_ends() {
        for (package, module, line_end) in [
            ("step03_selector", "mod poll_like;", "\n"),
            ("step06_tasks", "pub mod for_trials;", "\r\n"),
        ] {
            let name = module.trim_start_matches("pub ").trim_start_matches("mod ");
            let file = name.replace(';', ".rs");
            let lib = |path: &str| {
                let lib = format!("// Mine.\n#[path = \"{path}/{file}\"]\n{module}\nmod other;\n");
                vec![(PathBuf::from("lib.rs"), lib.replace('\n', line_end))]
            };
            let before = lib(&format!("../../../{package}/src"));
            let after = lib(&format!("../../.hidden/{package}"));
            assert_eq!(carried_over(package, &before), after);
        }
    }
}
