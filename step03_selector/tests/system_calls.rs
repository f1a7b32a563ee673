//! How often the kernel is asked, by strace's own count, where strace is at hand.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The `epoll_ctl` calls of a scene, one a line; nothing where strace is not there or may not trace.
fn epoll_ctl_calls(scene: &str) -> Option<Vec<String>> {
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{scene}.strace"));
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-e", "trace=epoll_ctl", "-o"]).arg(&trace);
    strace.args([env!("CARGO_BIN_EXE_step03_selector"), "play", scene]);
    let status = strace.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !status.is_ok_and(|status| status.success()) {
        println!("no strace here that may trace: the system calls of {scene} were not counted");
        return None;
    }
    Some(fs::read_to_string(&trace).unwrap().lines().map(str::to_owned).collect())
}

fn count(calls: &[String], operation: &str) -> usize {
    calls.iter().filter(|call| call.contains(operation)).count()
}

#[test]
fn modify_to_the_same_interest_makes_no_call() {
    let Some(calls) = epoll_ctl_calls("unchanged_modify_makes_no_call") else { return };
    // Registered once; modified to the same interest, and to another one.
    assert_eq!(count(&calls, "EPOLL_CTL_ADD"), 1, "{calls:#?}");
    assert_eq!(count(&calls, "EPOLL_CTL_MOD"), 1, "{calls:#?}");
}

#[test]
fn what_the_selector_refuses_by_itself_makes_no_call() {
    let Some(calls) = epoll_ctl_calls("register_and_get_key") else { return };
    // Ann is registered. Bob is there already, and Cid waits for nothing.
    assert_eq!(count(&calls, "epoll_ctl("), 1, "{calls:#?}");
}
