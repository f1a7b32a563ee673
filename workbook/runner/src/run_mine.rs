//! `cargo run -- run-mine`: runs one of the workbook's programs on the reader's own layers.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::{Context, ensure};
use scene::root::cargo;

use crate::arguments::Usage;
use crate::switch::open;
use judging::notebook::Notebook;
use judging::step::FROM_SCRATCH;
use judging::workbook::{Workbook, numbers, whose_layers};

/// Runs a program on the reader's layers. The words are one of the workbook's packages and
/// arguments for `cargo run`, such as `--example chat` or `--release`. Replaces this process with
/// cargo, which runs the program, and returns only on failure.
pub fn run_mine(workbook: Workbook, words: &[&str]) -> anyhow::Result<ExitCode> {
    let [package, arguments @ ..] = words else {
        let usage = "run-mine needs a program: serve_files, broken_servers, from_scratch, asyncio, ecosystem or python";
        return Err(Usage(usage.to_owned()).into());
    };
    if *package == PYTHON {
        return become_python(workbook, arguments);
    }
    let (_, mut command, whose) = on_your_layers(workbook, package, "run")?;
    eprintln!("{whose}");
    command.args(arguments);
    Err(command.exec()).context("start cargo")
}

/// The package that builds the Python module and then runs Python.
const PYTHON: &str = "python";

/// Replaces this process with a program that builds the module on the reader's layers and runs
/// Python, for `run-mine python -- program.py`. The only cargo option allowed before `--` is
/// `--release`. Returns only on failure.
fn become_python(workbook: Workbook, arguments: &[&str]) -> anyhow::Result<ExitCode> {
    let (for_cargo, for_python) = match arguments {
        ["--release", "--", words @ ..] | ["--release", words @ ..] => (Some("--release"), words),
        ["--", words @ ..] | words => (None, words),
    };
    let root = workbook.root.clone();
    let notebook = open(workbook)?;
    let module = notebook.module_on_yours()?;
    let whose = whose_layers(&module.yours, &module.references);
    let mut command = cargo();
    command.args(["run", "--quiet", "--manifest-path"]).arg(root.join("Cargo.toml"));
    command.args(for_cargo).args(["--package", PYTHON, "--"]).args(for_python);
    command.env("WORKBOOK_EXTENSION", &module.manifest);
    // The variable sets the number of seconds after which a hang is reported.
    if std::env::var_os("WORKBOOK_WATCH").is_none() {
        command.env("WORKBOOK_WATCH", "10");
    }
    command.env("WORKBOOK_EXTENSION_TARGET", notebook.dir.join("target/python"));
    if module.missing.is_empty() {
        eprintln!("python's loop on {whose}");
    } else {
        let missing: Vec<&str> = module.missing.iter().map(String::as_str).collect();
        let missing = numbers(&missing);
        eprintln!("python's selector on {whose}; the loop needs your {missing}, too");
        command.env("WORKBOOK_EXTENSION_FEATURES", "selector");
        command.env("WORKBOOK_MISSING_PAGES", missing);
    }
    Err(command.exec()).context("start cargo")
}

/// Prepares a cargo command that builds or runs a program on the reader's layers. Returns the
/// command along with the reader's notebook and a phrase that names the layers:
/// `serve_files on your 07 and the reference's 01`.
pub fn on_your_layers(
    workbook: Workbook,
    package: &str,
    verb: &str,
) -> anyhow::Result<(Notebook, Command, String)> {
    let root = workbook.root.clone();
    let (notebook, manifest, whose) = if package == FROM_SCRATCH {
        // A loop from scratch isn't a layer under other packages, so its own page contains the
        // programs.
        let notebook = Notebook::of(workbook);
        let own = notebook.page(package).join("Cargo.toml");
        ensure!(
            own.exists(),
            "you have no loop from scratch yet. Begin with: cargo run -- from-scratch"
        );
        (notebook, own, "your loop from scratch".to_owned())
    } else {
        let notebook = open(workbook)?;
        let program = notebook.program_on_yours(package)?;
        let whose = whose_layers(&program.yours, &program.references);
        (notebook, program.manifest, format!("{package} on {whose}"))
    };
    let mut command = cargo();
    command.arg(verb).arg("--manifest-path").arg(manifest);
    // Reuse the packages that cargo has compiled for the notebook's pages.
    command.env("CARGO_TARGET_DIR", notebook.dir.join("target"));
    if std::env::var_os("CARGO_BUILD_BUILD_DIR").is_none() {
        command.env("CARGO_BUILD_BUILD_DIR", root.join("target"));
    }
    Ok((notebook, command, whose))
}
