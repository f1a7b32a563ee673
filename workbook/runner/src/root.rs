//! The workbook's own directories: where its root is, which steps it has, and plain file work with
//! errors that name the file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// The workbook's steps, in order.
pub fn steps(root: &Path) -> anyhow::Result<Vec<String>> {
    let entries = fs::read_dir(root).with_context(|| format!("list {}", root.display()))?;
    let mut steps: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with("step") && root.join(name).join("Cargo.toml").exists())
        .collect();
    steps.sort();
    Ok(steps)
}

/// The workbook's root: the nearest directory upwards that holds the runner.
pub fn find_root(from: &Path) -> anyhow::Result<PathBuf> {
    let is_root = |dir: &&Path| dir.join("workbook/runner/Cargo.toml").exists();
    let root = from.ancestors().skip(1).find(is_root);
    root.map(Path::to_owned)
        .with_context(|| format!("{} is not in a copy of the workbook", from.display()))
}

/// The test files of a step, by name.
pub(crate) fn tests(step: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(step.join("tests")) else {
        return Vec::new();
    };
    let mut tests: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|ext| ext == "rs"))
        .collect();
    tests.sort();
    tests
}

/// Reads a file.
pub(crate) fn read(file: &Path) -> anyhow::Result<String> {
    fs::read_to_string(file).with_context(|| format!("read {}", file.display()))
}

/// Writes a file, and makes the directories above it.
pub(crate) fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(dir) = file.parent() {
        fs::create_dir_all(dir).with_context(|| format!("make the directory {}", dir.display()))?;
    }
    fs::write(file, text).with_context(|| format!("write {}", file.display()))
}
