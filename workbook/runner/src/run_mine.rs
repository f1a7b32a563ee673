//! `cargo run -- run-mine`: runs a program of the workbook on the reader's own layers.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::Context;
use scene::root::cargo;

use crate::arguments::Usage;
use crate::notebook::Notebook;
use crate::switch::open;
use crate::workbook::{Workbook, whose_layers};

/// The step that is the loop.
const LOOP: &str = "step07_full_loop";

/// Runs a program on the reader's layers: a package of the workbook, and what `cargo run` takes, such as
/// `--example chat` or `--release`. Becomes that program, and returns only if it can't.
pub fn run_mine(workbook: Workbook, words: &[&str]) -> anyhow::Result<ExitCode> {
    let [package, arguments @ ..] = words else {
        let usage = "run-mine needs a program: serve_files, broken_servers, asyncio or ecosystem";
        return Err(Usage(usage.to_owned()).into());
    };
    let (_, mut command, whose) = prepared(workbook, package, "run")?;
    eprintln!("{whose}");
    command.args(arguments);
    Err(command.exec()).context("start cargo")
}

/// A program that was built on the reader's layers.
#[derive(Debug)]
pub struct BuiltOnYours {
    /// Its file.
    pub program: PathBuf,
    /// Says whose layers it runs on: `serve_files on your 07 and the reference's 01`.
    pub whose: String,
    /// True if the loop itself, step 07, is the reader's.
    pub is_on_your_loop: bool,
}

/// Builds a program on the reader's layers. The compiler's messages go to the reader. Returns `None` if
/// it doesn't compile.
pub fn build_mine(workbook: Workbook, package: &str) -> anyhow::Result<Option<BuiltOnYours>> {
    let (notebook, mut command, whose) = prepared(workbook, package, "build")?;
    let built = command.arg("--quiet").status().context("start cargo")?;
    if !built.success() {
        return Ok(None);
    }
    let is_on_your_loop = notebook.own_layers()?.iter().any(|own| own == LOOP);
    let program = notebook.dir.join("target/debug").join(package);
    Ok(Some(BuiltOnYours { program, whose, is_on_your_loop }))
}

/// Prepares a call of cargo for a program on the reader's layers, and says whose those are.
fn prepared(
    workbook: Workbook,
    package: &str,
    verb: &str,
) -> anyhow::Result<(Notebook, Command, String)> {
    let root = workbook.root.clone();
    let notebook = open(workbook)?;
    let program = notebook.program_on_yours(package)?;
    let mut command = cargo();
    command.arg(verb).arg("--manifest-path").arg(&program.manifest);
    // What's compiled for the notebook's pages is used here, too.
    command.env("CARGO_TARGET_DIR", notebook.dir.join("target"));
    if std::env::var_os("CARGO_BUILD_BUILD_DIR").is_none() {
        command.env("CARGO_BUILD_BUILD_DIR", root.join("target"));
    }
    let whose = whose_layers(&program.yours, &program.references);
    Ok((notebook, command, format!("{package} on {whose}")))
}
