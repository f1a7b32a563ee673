//! Finds the workbook's directories, forms the steps' names for use in sentences, and reads and
//! writes files. Each error names its file.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;
use scene::root::{find_root, package_dir};

use crate::step::FROM_SCRATCH;

/// A copy of the workbook.
#[derive(Debug, Clone)]
pub struct Workbook {
    /// The workbook's root directory.
    pub root: PathBuf,
    /// The directories that the root's `Cargo.toml` lists, relative to the root.
    packages: Vec<PathBuf>,
}

impl Workbook {
    /// Finds the workbook that a program belongs to, given the program's
    /// `env!("CARGO_MANIFEST_DIR")`.
    pub fn of(manifest_dir: &str) -> anyhow::Result<Workbook> {
        Workbook::at(find_root(&package_dir(manifest_dir))?)
    }

    /// Opens the workbook in a root directory, whose `Cargo.toml` lists the packages' directories.
    pub fn at(root: PathBuf) -> anyhow::Result<Workbook> {
        let packages = crate::notebook::manifest::packages(&root.join("Cargo.toml"))?;
        Ok(Workbook { root, packages })
    }

    /// Returns the names of the steps and of the library, in the order in which the root's
    /// `Cargo.toml` lists them.
    pub fn steps(&self) -> anyhow::Result<Vec<String>> {
        crate::notebook::manifest::parts(&self.root.join("Cargo.toml"))
    }

    /// Returns the names of all parts that a reader writes: the steps, the library, and the loop
    /// from scratch. Leaves out the loop from scratch if this copy of the workbook doesn't contain
    /// it.
    pub fn parts(&self) -> anyhow::Result<Vec<String>> {
        let from_scratch = self.has(FROM_SCRATCH).then(|| FROM_SCRATCH.to_owned());
        Ok(self.steps()?.into_iter().chain(from_scratch).collect())
    }

    /// Returns the description of a step in its manifest, without the step's number.
    pub fn description(&self, package: &str) -> anyhow::Result<String> {
        let file = self.step(package).join("Cargo.toml");
        let description = crate::notebook::manifest::description(&file)?;
        // The manifest's description begins with `Step 02: `.
        Ok(description.split_once(": ").map_or(&*description, |(_, rest)| rest).to_owned())
    }

    /// Returns the directory of a step, of the library, or of a program.
    pub fn step(&self, package: &str) -> PathBuf {
        self.root.join(self.below_the_root(package))
    }

    /// Returns true if one of the workbook's packages has this name.
    pub fn has(&self, package: &str) -> bool {
        self.packages.iter().any(|path| path.file_name().is_some_and(|name| name == package))
    }

    /// Returns the directory of a package relative to the root, such as `beyond/asyncio`. An
    /// unknown package is assumed to be in the root itself.
    pub fn below_the_root<'a>(&'a self, package: &'a str) -> &'a Path {
        let is_it = |path: &&PathBuf| path.file_name().is_some_and(|name| name == package);
        self.packages.iter().find(is_it).map_or(Path::new(package), PathBuf::as_path)
    }

    /// Returns the expected transcript of a scene, from its snapshot.
    pub fn snapshot(&self, package: &str, scene: &str) -> anyhow::Result<String> {
        let text = read(&self.snapshots(package).join(format!("{scene}.snap")))
            .with_context(|| format!("the scene {scene} has no snapshot"))?;
        Ok(without_header(&text).trim_end().to_owned())
    }

    /// Returns the directory of a step's snapshots.
    pub fn snapshots(&self, package: &str) -> PathBuf {
        self.step(package).join("tests/snapshots")
    }
}

/// Returns a step's name for use in a sentence: `step 03`, or `asyncio` for the library.
pub fn called(package: &str) -> String {
    if package.starts_with("step") {
        format!("step {}", number(package))
    } else {
        package.to_owned()
    }
}

/// Returns a list of steps' numbers, such as `01, 02 and 04`.
pub fn numbers(packages: &[&str]) -> String {
    let numbers: Vec<&str> = packages.iter().map(|package| number(package)).collect();
    match numbers.as_slice() {
        [before @ .., _, last] if numbers.len() > 1 => {
            format!("{} and {last}", numbers[..=before.len()].join(", "))
        }
        numbers => numbers.concat(),
    }
}

/// Returns a phrase that says whose the layers are, such as
/// `your 01 and the reference's 02 and asyncio`. The phrase is empty if both lists are empty.
pub fn whose_layers(yours: &[String], references: &[String]) -> String {
    let named = |owner: &str, parts: &[String]| {
        let (steps, mut others): (Vec<&str>, Vec<&str>) =
            parts.iter().map(String::as_str).partition(|part| part.starts_with("step"));
        let steps = numbers(&steps);
        others.insert(0, &steps);
        others.retain(|part| !part.is_empty());
        (!others.is_empty()).then(|| format!("{owner} {}", others.join(" and ")))
    };
    let whose = [named("your", yours), named("the reference's", references)];
    whose.into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

/// Returns a step's number: `03` for `step03_selector`.
pub fn number(package: &str) -> &str {
    let name = package.strip_prefix("step").unwrap_or(package);
    name.split_once('_').map_or(name, |(number, _)| number)
}

/// Removes the header that insta writes at the beginning of a snapshot's file. The header is
/// enclosed in two lines of dashes.
pub fn without_header(text: &str) -> &str {
    let header = text.strip_prefix("---\n");
    let after = header.and_then(|header| header.split_once("\n---\n"));
    after.map_or(text, |(_, snapshot)| snapshot)
}

/// Returns the names of the files and directories in a directory, sorted.
pub fn file_names(dir: &Path) -> anyhow::Result<Vec<String>> {
    let entries = fs::read_dir(dir).with_context(|| format!("list {}", dir.display()))?;
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}

/// Removes each `..` from a path, together with the directory before it. Symbolic links aren't
/// resolved.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => (),
            other => plain.push(other),
        }
    }
    plain
}

/// Reads one of the workbook's files. The text is returned with our line endings, even if git or an
/// editor has changed the line endings in the file.
pub fn read(file: &Path) -> anyhow::Result<String> {
    Ok(with_our_line_ends(&read_as_it_is(file)?))
}

pub(crate) fn with_our_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Reads one of the reader's files and keeps its line endings.
pub(crate) fn read_as_it_is(file: &Path) -> anyhow::Result<String> {
    fs::read_to_string(file).with_context(|| format!("read {}", file.display()))
}

/// Writes a file and creates its missing parent directories.
pub fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(dir) = file.parent() {
        fs::create_dir_all(dir).with_context(|| format!("make the directory {}", dir.display()))?;
    }
    fs::write(file, text).with_context(|| format!("write {}", file.display()))
}

/// Writes a file unless it already contains this text, so that cargo rebuilds only code that has
/// changed.
pub(crate) fn write_if_different(file: &Path, text: &str) -> anyhow::Result<()> {
    if fs::read_to_string(file).is_ok_and(|before| before == text) {
        return Ok(());
    }
    write(file, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_what_follows_the_header() {
        assert_eq!(without_header("---\nsource: x\n---\na\n---\nb\n"), "a\n---\nb\n");
        assert_eq!(without_header("no header\n"), "no header\n");
    }

    #[test]
    fn steps_are_called_by_their_numbers() {
        assert_eq!(called("step03_selector"), "step 03");
        assert_eq!(called("asyncio"), "asyncio");
        assert_eq!(numbers(&["step01_fd"]), "01");
        assert_eq!(numbers(&["step01_fd", "step02_epoll"]), "01 and 02");
        assert_eq!(numbers(&["step01_fd", "step02_epoll", "step04_timers"]), "01, 02 and 04");
    }
}
