//! Runs Python with the workbook's loop as a module: `cargo run -p python -- program.py`.
//!
//! The words after `--` go to Python: a program and its arguments, `-m module`, `-c code`, or
//! nothing for a prompt. The environment variable `PYTHON` names a Python to use instead of
//! `python3`.

#![forbid(unsafe_code)]

use std::env;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::Context;
use python::{Extension, Python};

fn main() -> ExitCode {
    let Err(error) = become_python();
    eprintln!("{error:#}");
    ExitCode::FAILURE
}

fn become_python() -> anyhow::Result<std::convert::Infallible> {
    let python = Python::find()?;
    let modules = Extension::wanted()?.build_for(&python)?;
    let before = env::var_os("PYTHONPATH").filter(|path| !path.is_empty());
    let path = env::join_paths(
        [modules].into_iter().chain(before.iter().flat_map(|path| env::split_paths(path))),
    );
    let mut command = Command::new(&python.program);
    command.args(env::args_os().skip(1));
    for ours in [python::MANIFEST, python::TARGET, python::FEATURES] {
        command.env_remove(ours);
    }
    command.env("PYTHONPATH", path.context("put the module's directory into PYTHONPATH")?);
    let error = command.exec();
    Err(error).with_context(|| format!("start {}", python.program.display()))
}
