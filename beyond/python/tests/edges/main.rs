//! Tests properties of a loop that CPython's own tests don't cover: `edges.py` checks them on our
//! loop and on stock asyncio. `.ci/run` has a stage for them, because they compile pyo3.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::path::Path;
use std::process::Command;

fn pass_on(kind: &str) -> bool {
    let edges = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/edges/edges.py");
    let mut launcher = Command::new(env!("CARGO_BIN_EXE_python"));
    launcher.arg(edges).env("LOOP", kind).status().unwrap().success()
}

#[test]
fn the_loop_keeps_what_asyncio_promises_at_its_edges() {
    assert!(pass_on("ours"), "what failed is printed above");
}

#[test]
fn stock_asyncio_promises_the_same() {
    assert!(pass_on("stock"), "what failed is printed above");
}
