//! What a wake and a signal cost, by strace's own count, where strace is at hand.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// All system calls and signals of a scene, one a line; nothing where strace is not there or may
/// not trace.
fn trace(scene: &str) -> Option<Vec<String>> {
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{scene}.strace"));
    let mut strace = Command::new("strace");
    strace.args(["-qq", "-o"]).arg(&trace);
    strace.args([env!("CARGO_BIN_EXE_step05_selfpipe"), "run-scene", scene]);
    let status = strace.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !status.is_ok_and(|status| status.success()) {
        println!("no strace here that may trace: the system calls of {scene} were not counted");
        return None;
    }
    Some(fs::read_to_string(&trace).unwrap().lines().map(str::to_owned).collect())
}

#[test]
fn the_handler_makes_one_system_call_and_that_is_write() {
    let Some(lines) = trace("handler_allocates_nothing") else { return };
    let handler = lines.iter().skip_while(|line| !line.starts_with("--- SIGUSR1")).skip(1);
    let handler: Vec<_> = handler.take_while(|line| !line.starts_with("rt_sigreturn(")).collect();
    assert_eq!(handler.len(), 1, "{handler:#?}");
    assert!(handler[0].starts_with("write("), "{handler:#?}");
}

#[test]
fn a_thousand_values_cost_one_system_call() {
    let Some(lines) = trace("one_byte_for_a_thousand_values") else { return };
    let wakes = lines.iter().filter(|line| line.contains(r#", "\0", 1)"#)).count();
    // One for the thousand, and one for the wake without any news at the end.
    assert_eq!(wakes, 2, "{lines:#?}");
}
