//! The build script of every step, which puts the snapshots into the step's program. They're the
//! keys by which pages are judged.
//!
//! Writes `keys.rs`, a list of pairs of a scene's name and its snapshot. `runner::keys!` includes
//! that file.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The directory with the snapshots, relative to the step's directory.
const SNAPSHOTS: &str = "tests/snapshots";

fn main() -> io::Result<()> {
    // Packages that only build on the layer don't need the step's program.
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
    // Undo any change that git or an editor has made to the line endings.
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
