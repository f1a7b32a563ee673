//! Checks whether a signal has a handler.

use std::fs;

use anyhow::Context;

/// Returns true if this process has a handler for the signal.
pub(super) fn is_caught(signal: i32) -> anyhow::Result<bool> {
    let status = fs::read_to_string("/proc/self/status")?;
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = u64::from_str_radix(caught.context("a line SigCgt")?.trim(), 16)?;
    Ok(caught >> (signal - 1) & 1 == 1)
}
