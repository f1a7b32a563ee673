//! The build script of every step: puts the snapshots into the step's program. Pages are judged by
//! these keys.
//!
//! Writes `keys.rs`, a list of pairs: a scene's name, and its snapshot. `runner::keys!` includes
//! it.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The directory of the snapshots, below the step's directory.
const SNAPSHOTS: &str = "tests/snapshots";

fn main() -> io::Result<()> {
    // A package that only builds on the layer has no use for the step's program.
    if env::var_os("CARGO_FEATURE_EXPERIMENTS").is_none() {
        return Ok(());
    }
    println!("cargo::rerun-if-changed={SNAPSHOTS}");
    let keys: io::Result<Vec<String>> = snapshots()?.iter().map(|file| key(file)).collect();
    let keys = keys?.concat();
    let out = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    fs::write(out.join("keys.rs"), format!("&[\n{keys}]\n"))
}

/// Returns the line for a snapshot.
fn key(file: &Path) -> io::Result<String> {
    let scene = file.file_stem().unwrap_or_default().to_string_lossy();
    // Undoes any change that git or an editor has made to the line ends.
    let snapshot = fs::read_to_string(file)?.replace("\r\n", "\n");
    Ok(format!("({scene:?}, {snapshot:?}),\n"))
}

/// Lists the snapshots, sorted.
fn snapshots() -> io::Result<Vec<PathBuf>> {
    if !Path::new(SNAPSHOTS).exists() {
        return Ok(Vec::new());
    }
    let files: io::Result<Vec<PathBuf>> =
        fs::read_dir(SNAPSHOTS)?.map(|entry| Ok(entry?.path())).collect();
    let mut files = files?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "snap"));
    files.sort();
    Ok(files)
}
