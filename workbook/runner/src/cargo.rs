//! Builds a page with cargo, whose messages reach the reader untouched.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::SystemTime;

use anyhow::Context;
use scene::root::cargo;
use tinyjson::JsonValue;

use crate::notebook::Notebook;
use crate::notebook::page::Page;
use crate::run::spawn_process;

/// What became of a build.
#[derive(Debug)]
pub(crate) enum Built {
    /// The program, and what the compiler said if it was to be kept.
    Program(PathBuf, String),
    /// The page doesn't compile; what the compiler said if it was to be kept.
    DoesNotCompile(String),
}

/// Where the compiler's messages go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Messages {
    /// To the reader, with cargo's progress when there is much to do.
    Shown,
    /// Into [`Built`].
    Kept,
}

/// Builds a page's program.
pub(crate) fn build(page: &Page, messages: Messages) -> anyhow::Result<Built> {
    let (notebook, package) = (&page.notebook, page.step.package);
    touch(notebook)?;
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
    // A target directory of the reader's own holds the steps' programs, which have the same names as
    // ours. What they were compiled from can be shared.
    let readers = std::env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty());
    if let Some(dir) = readers {
        let dir = std::path::absolute(dir).context("find the target directory")?;
        command.env("CARGO_BUILD_BUILD_DIR", &dir);
        command.env("CARGO_TARGET_DIR", dir.join("notebook"));
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

/// Makes cargo build what is there now. It goes by the files' times, and a notebook that was
/// unpacked from an archive can have other text and yet older times than what was compiled last.
/// Each page can be a layer of the one that is built; cargo ignores those that aren't.
fn touch(notebook: &Notebook) -> anyhow::Result<()> {
    for package in notebook.pages()? {
        let file = notebook.page(&package).join("src/lib.rs");
        let touched = File::open(&file).and_then(|file| file.set_modified(SystemTime::now()));
        touched.with_context(|| format!("update the time of {}", file.display()))?;
    }
    Ok(())
}

fn read_all(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    // What was read before an error is still worth having.
    let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The program among the artifacts that cargo reports, one JSON object per line.
fn executable(stdout: &str) -> Option<PathBuf> {
    let path = |line: &str| {
        let message: JsonValue = line.parse().ok()?;
        let object: &std::collections::HashMap<String, JsonValue> = message.get()?;
        let path: &String = object.get("executable")?.get()?;
        Some(Path::new(path).to_owned())
    };
    stdout.lines().filter_map(path).next_back()
}
