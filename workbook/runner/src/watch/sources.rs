//! The files that `watch` checks for changes: the page's files, the files of the reader's own
//! layers below the page, the notebook's `Cargo.toml`, and the file with the reader's path.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use judging::notebook::Notebook;
use judging::notebook::source::layer_files;

/// The files to check for a page, with their contents at our last check.
#[derive(Debug)]
pub(super) struct Sources {
    notebook: Notebook,
    package: String,
    /// The workbook's parts that come before the page's.
    below: Vec<String>,
    seen: BTreeMap<PathBuf, Vec<u8>>,
}

impl Sources {
    pub(super) fn of(notebook: &Notebook, package: &str) -> anyhow::Result<Sources> {
        let (notebook, package) = (notebook.clone(), package.to_owned());
        let below = parts_below(notebook.workbook.parts()?, &package);
        Ok(Sources { notebook, package, below, seen: BTreeMap::new() })
    }

    /// Records the current state of the files.
    pub(super) fn look(&mut self) {
        self.seen = self.now();
    }

    /// Lists the files that have changed, appeared or disappeared since our last check.
    pub(super) fn changed(&self) -> Vec<PathBuf> {
        let now = self.now();
        let all = self.seen.keys().chain(now.keys().filter(|file| !self.seen.contains_key(*file)));
        all.filter(|file| self.seen.get(*file) != now.get(*file)).cloned().collect()
    }

    /// Returns true if every file from our last check still exists.
    pub(super) fn are_all_there(&self) -> bool {
        self.seen.keys().all(|file| file.exists())
    }

    /// Returns true if the page still exists.
    pub(super) fn has_page(&self) -> bool {
        self.notebook.page(&self.package).join("src").is_dir()
    }

    /// Lists the directories to watch: the notebook's, and for each page the page's own and those
    /// of its source files.
    pub(super) fn dirs(&self) -> Vec<PathBuf> {
        let mut dirs = vec![self.notebook.dir.clone()];
        for page in self.pages() {
            add_with_those_below(&page.join("src"), &mut dirs);
            dirs.push(page);
        }
        dirs
    }

    /// Returns the directories of the page and of the reader's own layers below the page.
    fn pages(&self) -> Vec<PathBuf> {
        // While the reader is editing the manifest, it may be invalid.
        let mut packages = self.notebook.own_layers().unwrap_or_default();
        packages.retain(|layer| self.below.contains(layer));
        packages.push(self.package.clone());
        packages.iter().map(|package| self.notebook.page(package)).collect()
    }

    fn now(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        // Include the file with the reader's path, because it also lists the given exercises.
        let mut files = vec![self.notebook.dir.join("Cargo.toml"), self.notebook.choice_file()];
        for page in self.pages() {
            files.push(page.join("Cargo.toml"));
            let src = page.join("src");
            let below = layer_files(&src).unwrap_or_default();
            files.extend(below.into_iter().map(|file| src.join(file)));
        }
        files.into_iter().filter_map(|file| Some((file.clone(), fs::read(file).ok()?))).collect()
    }
}

/// Returns the parts in front of a page's part. Their names say nothing about the order: `asyncio`
/// is above `step07_full_loop`.
fn parts_below(parts: Vec<String>, package: &str) -> Vec<String> {
    parts.into_iter().take_while(|part| part != package).collect()
}

fn add_with_those_below(dir: &Path, dirs: &mut Vec<PathBuf>) {
    dirs.push(dir.to_owned());
    let entries = fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok);
    for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        add_with_those_below(&entry.path(), dirs);
    }
}

/// Returns true if a file with this name is a source file rather than an editor's backup, lock or
/// swap file: `lib.rs~`, `.lib.rs.swp`, `.#lib.rs`, `#lib.rs#`.
pub(super) fn is_a_source(name: &str) -> bool {
    let is_rust = Path::new(name).extension().is_some_and(|extension| extension == "rs");
    name == "Cargo.toml" || (is_rust && !name.starts_with(['.', '#']))
}

/// Returns true if a directory with this name can contain source files. Judging creates other
/// directories, such as `target`, which cargo first creates as `targetXXXXXX`.
pub(super) fn can_hold_sources(name: &str) -> bool {
    !name.starts_with("target") && !name.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_editor_keeps_beside_a_source_is_none() {
        for name in ["lib.rs", "Cargo.toml", "proc_fd.rs"] {
            assert!(is_a_source(name), "{name}");
        }
        for name in
            ["lib.rs~", ".lib.rs.swp", ".#lib.rs", "#lib.rs#", "4913", "lib.rs.bak", "Cargo.lock"]
        {
            assert!(!is_a_source(name), "{name}");
        }
    }

    #[test]
    fn the_library_is_above_the_steps_although_its_name_comes_before_theirs() {
        let parts =
            ["step06_tasks", "step07_full_loop", "asyncio", "from_scratch"].map(str::to_owned);
        let below = |package| parts_below(parts.to_vec(), package);
        assert_eq!(below("step07_full_loop"), ["step06_tasks"]);
        assert_eq!(below("asyncio"), ["step06_tasks", "step07_full_loop"]);
        assert_eq!(below("from_scratch"), parts[..3]);
    }
}
