//! Builds a page with cargo, whose messages reach the reader untouched.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use tinyjson::JsonValue;

use crate::notebook::Notebook;
use crate::{freshness, lifeline};

/// What became of a build.
#[derive(Debug)]
pub(crate) enum Built {
    /// The program, and what the compiler said if it was to be kept.
    Program(PathBuf, String),
    /// The page does not compile; what the compiler said if it was to be kept.
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
pub(crate) fn build(
    notebook: &Notebook,
    package: &str,
    messages: Messages,
) -> anyhow::Result<Built> {
    freshness::ensure(notebook)?;
    let mut command = Command::new(cargo());
    command
        .current_dir(notebook.page(package))
        .args(["build", "--bin", package, "--message-format=json-render-diagnostics"])
        // Set by the `cargo run` that started us, for another package.
        .env_remove("CARGO_MANIFEST_DIR")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if messages == Messages::Kept || notebook.dir.join("target").exists() {
        command.arg("--quiet");
    }
    if messages == Messages::Kept {
        command.stderr(Stdio::piped());
    }
    // A target directory of the reader's holds the workbook's own programs, by the same names. What
    // those were compiled from serves here too.
    let theirs = std::env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty());
    if let Some(dir) = theirs {
        let dir = std::path::absolute(dir).context("find the target directory")?;
        command.env("CARGO_BUILD_BUILD_DIR", &dir);
        command.env("CARGO_TARGET_DIR", dir.join("notebook"));
    }

    let mut tied = lifeline::spawn_process(&mut command).context("start cargo")?;
    let stderr = tied.child.stderr.take();
    let said = std::thread::spawn(move || read_all(stderr));
    let stdout = read_all(tied.child.stdout.take());
    let status = tied.child.wait().context("wait for cargo")?;
    let said = said.join().unwrap_or_default();
    if !status.success() {
        return Ok(Built::DoesNotCompile(said));
    }
    let program = executable(&stdout).context("cargo built the page, but named no program")?;
    Ok(Built::Program(program, said))
}

fn read_all(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    // What was read before an error is still worth having.
    let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The cargo that started us, or the one in the path.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The program among the artifacts that cargo reports, one JSON object a line.
fn executable(stdout: &str) -> Option<PathBuf> {
    let path = |line: &str| {
        let message: JsonValue = line.parse().ok()?;
        let object: &std::collections::HashMap<String, JsonValue> = message.get()?;
        let path: &String = object.get("executable")?.get()?;
        Some(Path::new(path).to_owned())
    };
    stdout.lines().filter_map(path).next_back()
}
