//! The command line of a notebook's page.
//!
//! A page lists and runs its own scenes and runs its own trials and server. For every other
//! command, the page's program replaces itself with the step's own program, so a command line has
//! the same effect inside and outside the notebook.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::root::{cargo, find_root, package_dir};
use crate::{Scene, Selection, Trial, list_scenes, run_scene, run_trial};

/// A page of the notebook: the step's scenes, trials and server, built on the page's layer. The
/// step's own program has the same scenes, trials and server, built on the reference's layer.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// The name of the step's package, such as `step02_epoll`.
    pub package: &'static str,
    /// The page's `env!("CARGO_MANIFEST_DIR")`.
    pub manifest_dir: &'static str,
    /// The step's scenes, compiled against the page's layer.
    pub scenes: &'static [Scene],
    /// The step's trials, compiled against the page's layer.
    pub trials: &'static [Trial],
    /// Runs the page's echo server on a TCP port of 127.0.0.1. `None` if the step has no server, as
    /// with step 01.
    pub serve: Option<fn(u16) -> anyhow::Result<()>>,
}

/// Carries out a page's command line.
pub fn main(page: &Page) -> ExitCode {
    let result = run_in_this_process(page);
    let result =
        result.unwrap_or_else(|| Err(become_the_program_of(page.package, page.manifest_dir)));
    result.unwrap_or_else(|error| report(&error))
}

/// Carries out the commands that list or run a step's scenes, trials and server in this process.
/// The runner and the tests use these commands. Returns `None` for any other command.
pub fn run_in_this_process(page: &Page) -> Option<anyhow::Result<ExitCode>> {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    Some(match words.as_slice() {
        ["list-scenes"] => Ok(list_scenes(page.scenes)),
        ["run-scene", name] => scene(page, name).map(run_scene),
        ["run-trial", name, which @ ..] => trial(page, name, which),
        ["serve-on", port] => serve(page, port).map(|()| ExitCode::SUCCESS),
        _ => return None,
    })
}

/// Replaces this process with the workbook's own program, which shows the map of the steps. A
/// package in the notebook calls this function, so that a bare `cargo run` in the notebook shows
/// the map, too.
pub fn run_the_workbooks_own_program(manifest_dir: &str) -> ExitCode {
    report(&become_the_program_of("runner", manifest_dir))
}

fn report(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::FAILURE
}

fn scene(page: &Page, name: &str) -> anyhow::Result<&'static Scene> {
    let found = page.scenes.iter().find(|scene| scene.name == name);
    found.with_context(|| format!("there is no scene `{name}`"))
}

fn trial(page: &Page, name: &str, which: &[&str]) -> anyhow::Result<ExitCode> {
    let found = page.trials.iter().find(|trial| trial.name == name);
    let trial = found.with_context(|| format!("there is no trial `{name}`"))?;
    Ok(run_trial(trial, Selection::from_words(which)?))
}

fn serve(page: &Page, port: &str) -> anyhow::Result<()> {
    let port = port.parse().with_context(|| format!("`{port}` isn't a port"))?;
    serve_on(page.serve.context("this step has no server")?, port)
}

/// Runs a step's server. An error names the port, which another program may be using.
pub fn serve_on(serve: fn(u16) -> anyhow::Result<()>, port: u16) -> anyhow::Result<()> {
    serve(port).with_context(|| match port {
        0 => "can't serve on a free port of 127.0.0.1".to_owned(),
        port => format!("can't serve on 127.0.0.1:{port}"),
    })?;
    // Ignore the error, which only means that the terminal or the pipe is closed.
    let _ = writeln!(io::stdout(), "the server has stopped");
    Ok(())
}

/// Replaces this process with `cargo run` for one of the workbook's packages, with the same
/// arguments. Returns only on failure.
fn become_the_program_of(package: &str, manifest_dir: &str) -> anyhow::Error {
    // Cargo has to be able to wait for the compilers that it starts.
    kit::start_as_a_parent();
    match cargo_run(package, manifest_dir) {
        Ok(mut command) => {
            let error = command.arg("--").args(env::args_os().skip(1)).exec();
            anyhow::Error::new(error).context("start cargo")
        }
        Err(error) => error,
    }
}

fn cargo_run(package: &str, manifest_dir: &str) -> anyhow::Result<Command> {
    let root = find_root(&package_dir(manifest_dir))?;
    // We don't use this program's own target directory, because the step's program has the same
    // name and would overwrite this program. Cargo would use that directory by default, because the
    // notebook's configuration applies in the reader's current directory.
    let target = match env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => Path::new(&dir).join("workbook"),
        None => root.join("target"),
    };
    let mut command = cargo();
    command
        .args(["run", "--quiet", "--package", package, "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        // We spell the target directory and the build directory in the same way. Cargo locks both
        // directories. If cargo mistook one directory for two, it would wait for its own lock.
        .arg("--target-dir")
        .arg(&target)
        .arg(format!("--config=build.build-dir={:?}", target.display().to_string()));
    Ok(command)
}
