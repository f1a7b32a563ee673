//! What more than one test file needs.

#![allow(dead_code, reason = "each test file is a program of its own, and uses a part")]

use std::time::{Duration, Instant};

/// A killed process may not be reaped yet; a zombie is not alive.
pub(crate) fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    !(state.is_empty() || state.starts_with('Z') || state.starts_with('X'))
}

/// The kernel takes a moment to carry out a kill.
#[track_caller]
pub(crate) fn assert_ends(process: &str) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while is_alive(process) {
        assert!(Instant::now() < deadline, "the process {process} lives on");
        std::thread::yield_now();
    }
}
