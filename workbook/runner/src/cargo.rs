//! Builds a page with cargo, whose messages reach the reader untouched, or are kept for a check.

use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::SystemTime;

use anyhow::Context;
use scene::root::cargo;
use tinyjson::JsonValue;

use crate::notebook::Notebook;
use crate::notebook::page::Page;
use crate::notebook::source::layer_files;
use crate::run::spawn_process;

/// The result of a build.
#[derive(Debug)]
pub(crate) enum Built {
    /// The program, and the compiler's messages if they were kept.
    Program(PathBuf, String),
    /// The page doesn't compile. Contains the compiler's messages if they were kept.
    DoesNotCompile(String),
}

/// The destination of the compiler's messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Messages {
    /// To the reader, with cargo's progress unless the notebook has a target directory already.
    Shown,
    /// Into [`Built`].
    Kept,
}

/// Builds a page's program.
pub(crate) fn build(page: &Page, messages: Messages) -> anyhow::Result<Built> {
    let (notebook, package) = (&page.notebook, page.step.package);
    let readers = std::env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty());
    let readers = readers.map(std::path::absolute).transpose();
    let readers = readers.context("find the target directory")?;
    let target = readers.as_ref().map_or(notebook.dir.join("target"), |dir| dir.join("notebook"));
    touch_what_moved_in(notebook, &target.join("debug").join(package))?;
    let mut command = cargo();
    command
        .current_dir(page.dir())
        .args(["build", "--bin", package, "--message-format=json-render-diagnostics"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if messages == Messages::Kept || notebook.dir.join("target").exists() {
        command.arg("--quiet");
    }
    if messages == Messages::Kept {
        command.stderr(Stdio::piped());
    }
    // The reader's own target directory contains the steps' programs, which have the same names as
    // the pages'. So a page's program goes to another directory, but intermediate artifacts can be
    // shared.
    if let Some(dir) = readers {
        command.env("CARGO_BUILD_BUILD_DIR", dir).env("CARGO_TARGET_DIR", target);
    }

    let mut guard = spawn_process(&mut command).context("start cargo")?;
    let stderr = guard.child.stderr.take();
    let said = std::thread::spawn(move || read_all(stderr));
    let stdout = read_all(guard.child.stdout.take());
    let status = guard.child.wait().context("wait for cargo")?;
    let said = said.join().unwrap_or_default();
    if !status.success() {
        return Ok(Built::DoesNotCompile(said));
    }
    let program = executable(&stdout).context("cargo built the page, but named no program")?;
    Ok(Built::Program(program, said))
}

/// Touches each page that was moved or unpacked here since the last build, so that cargo rebuilds
/// it. Cargo compares modification times, and such a page can have new text but old times.
///
/// Every page is checked, because each can be a layer of the one that we build; cargo ignores the
/// others.
fn touch_what_moved_in(notebook: &Notebook, program: &Path) -> anyhow::Result<()> {
    let built = fs::metadata(program).ok();
    for package in notebook.pages()? {
        let src = notebook.page(&package).join("src");
        let mut paths = vec![notebook.dir.clone(), notebook.page(&package), src.clone()];
        paths.extend(layer_files(&src)?.into_iter().flat_map(|file| {
            let file = src.join(file);
            [file.parent().unwrap_or(&src).to_owned(), file]
        }));
        let has_moved_in = |path: &PathBuf| match (&built, fs::metadata(path)) {
            (Some(built), Ok(now)) => moved_in_since(built, &now),
            _ => true,
        };
        if paths.iter().any(has_moved_in) {
            let file = src.join("lib.rs");
            let touched = File::open(&file).and_then(|file| file.set_modified(SystemTime::now()));
            touched.with_context(|| format!("update the time of {}", file.display()))?;
        }
    }
    Ok(())
}

/// Returns true if a file seems to have been moved or unpacked here after the build. Writing to a
/// file sets both its times. After a move (on most file systems), or after unpacking with the old
/// time, only the time of change is new: see `inode(7)`.
fn moved_in_since(built: &Metadata, now: &Metadata) -> bool {
    let built = (built.mtime(), built.mtime_nsec());
    (now.ctime(), now.ctime_nsec()) > built && (now.mtime(), now.mtime_nsec()) <= built
}

fn read_all(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    // If this fails halfway, the bytes read so far are still useful.
    let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Finds the program among the artifacts that cargo reports, one JSON object per line.
fn executable(stdout: &str) -> Option<PathBuf> {
    let path = |line: &str| {
        let message: JsonValue = line.parse().ok()?;
        let object: &std::collections::HashMap<String, JsonValue> = message.get()?;
        let path: &String = object.get("executable")?.get()?;
        Some(Path::new(path).to_owned())
    };
    stdout.lines().filter_map(path).next_back()
}
