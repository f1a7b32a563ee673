//! Runs CPython's own tests on our loop and on stock asyncio. `.ci/run` has a stage for them,
//! because they compile pyo3 and take minutes.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::path::Path;
use std::process::Command;

#[test]
fn what_stock_asyncio_passes_passes_here_too_except_what_is_listed() {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cpython/suite.py");
    let mut launcher = Command::new(env!("CARGO_BIN_EXE_python"));
    let ended = launcher.arg(suite).arg("--few").status().unwrap();
    assert!(ended.success(), "what differs is printed above");
}
