//! Helpers that several test files share.

#![allow(dead_code, reason = "each test file is a program of its own, and uses a part")]

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use kit::proc::Stat;

/// Returns true if a process is alive. A process that was killed but not reaped yet is a zombie and
/// counts as dead.
pub(crate) fn is_alive(pid: &str) -> bool {
    Stat::of(&Path::new("/proc").join(pid)).is_ok_and(Stat::is_alive)
}

/// Waits until a process has ended, because the kernel takes a moment to carry out a kill.
#[track_caller]
pub(crate) fn assert_ends(process: &str) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while is_alive(process) {
        assert!(Instant::now() < deadline, "the process {process} lives on");
        std::thread::yield_now();
    }
}

/// Has this program play a scene in a runner of its own, with a time limit of 1 s: collecting the
/// calls of a panic takes time, too. Returns the scene's lines and the report of its fault.
pub(crate) fn play_impatiently(program: &str, scene: &str) -> (String, String) {
    let output = Command::new(program)
        .args(["play", scene])
        .env("WORKBOOK_PATIENCE", "1")
        // Looking up the names for a backtrace uses so much processor time that the scene would
        // count as busy.
        .env_remove("RUST_BACKTRACE")
        .output()
        .expect("play");
    assert_eq!(output.status.code(), Some(1));
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr))
}
