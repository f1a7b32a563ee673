//! Measures the memory of waiting tasks and threads with a separate program.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::Options;
use crate::findings::Findings;

/// Builds and runs the program `memory` and adds its table to the findings.
pub(crate) fn measure(options: &Options, findings: &mut Findings) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--release", "--quiet", "-p", "race", "--bin", "memory", "--"]);
    command.args(options.quick.then_some("--quick"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).stderr(Stdio::inherit());
    let output = command.output().context("run cargo")?;
    ensure!(output.status.success(), "the benchmark failed");
    findings.add(&String::from_utf8(output.stdout)?);
    Ok(())
}
