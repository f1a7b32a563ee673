//! Runs other people's asyncio software on our loop: FastAPI under uvicorn, aiohttp with TLS, and
//! websockets. The packages are installed from the Python Package Index into a virtual environment
//! for this test. `.ci/run` has a stage for it, because it compiles pyo3.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::path::Path;
use std::process::{Command, Stdio};

const PACKAGES: [&str; 5] = ["aiohttp", "fastapi", "httptools", "uvicorn", "websockets"];

#[test]
fn web_frameworks_run_on_the_loop() {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("frameworks");
    let python = home.join("bin/python3");
    let is_installed = |imports: &str| {
        Command::new(&python)
            .args(["-c", imports])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|it| it.success())
    };
    if !is_installed("import aiohttp, fastapi, httptools, uvicorn, websockets") {
        let made = Command::new("python3").args(["-m", "venv", "--clear"]).arg(&home).status();
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "20"]);
        let is_ready = made.is_ok_and(|it| it.success())
            && pip.args(PACKAGES).status().is_ok_and(|it| it.success());
        if !is_ready {
            eprintln!("skipped: pip can't install {}", PACKAGES.join(", "));
            return;
        }
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frameworks");
    let mut launcher = Command::new(env!("CARGO_BIN_EXE_python"));
    let launched = launcher.arg("frameworks.py").current_dir(here).env("PYTHON", &python);
    assert!(launched.status().unwrap().success(), "what failed is printed above");
}
