//! The system calls that a program makes, as reported by strace.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a scene of `program` under strace with `options` and returns the lines of strace's output.
/// Returns `None` if strace is missing or isn't allowed to trace, or if the scene fails.
///
/// Leaves the trace in `dir`, which is the directory for the test's temporary files.
pub fn scene(program: &str, scene: &str, options: &[&str], dir: &str) -> Option<Vec<String>> {
    let trace = Path::new(dir).join(format!("{scene}.strace"));
    let mut strace = Command::new("strace");
    strace.args(options).arg("-qq").arg("-o").arg(&trace);
    strace.args([program, "run-scene", scene]);
    let status = strace.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let traced = status.is_ok_and(|status| status.success());
    let text = traced.then(|| fs::read_to_string(&trace).ok()).flatten();
    if text.is_none() {
        println!("strace couldn't run {scene} to its end, so its system calls weren't counted");
    }
    Some(text?.lines().map(str::to_owned).collect())
}
