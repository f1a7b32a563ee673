//! The command line of a page of the notebook.
//!
//! A page plays its own scenes and runs its own server. All the rest is the business of the step's
//! own program, which this one turns into. It is told who asked, and so plays and serves what the
//! page was built with.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::perform::perform;
use crate::step::PAGE_PROGRAM;
use crate::{Scene, Step};

/// Runs a page's command line.
pub fn main(step: &Step) -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let result = match words.as_slice() {
        ["perform", name] => scene(step, name).map(perform),
        ["serve-on", port] => serve(step, port).map(|()| ExitCode::SUCCESS),
        _ => Err(become_the_steps_own_program(step, &arguments)),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn scene<'a>(step: &'a Step, name: &str) -> anyhow::Result<&'a Scene> {
    let found = step.scenes.iter().find(|scene| scene.name == name);
    found.with_context(|| format!("there is no scene `{name}`"))
}

fn serve(step: &Step, port: &str) -> anyhow::Result<()> {
    let port = port.parse().with_context(|| format!("`{port}` is no port"))?;
    step.serve.context("this step has no server")?(port)
}

/// Only returns if it fails.
fn become_the_steps_own_program(step: &Step, arguments: &[OsString]) -> anyhow::Error {
    match steps_own_program(step) {
        Ok(mut program) => {
            let error = program.arg("--").args(arguments).exec();
            anyhow::Error::new(error).context("start cargo")
        }
        Err(error) => error,
    }
}

fn steps_own_program(step: &Step) -> anyhow::Result<Command> {
    // `cargo run` says where the page lies now; the program knows where it lay when it was built.
    let page = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let page = page.unwrap_or_else(|| PathBuf::from(step.manifest_dir));
    let is_root = |dir: &&Path| dir.join("workbook/Cargo.toml").exists();
    let root = page.ancestors().skip(1).find(is_root);
    let root =
        root.with_context(|| format!("{} is not in a copy of the workbook", page.display()))?;

    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["run", "--quiet", "--package", step.package, "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .env_remove("CARGO_MANIFEST_DIR")
        .env(PAGE_PROGRAM, env::current_exe().context("find this program")?);
    Ok(command)
}
