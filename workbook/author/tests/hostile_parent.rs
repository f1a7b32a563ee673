//! Whatever state a terminal, an editor or a script passes to the runner, each scene and each trial
//! starts in a known state, so that a correct body is green everywhere.

use std::path::Path;
use std::process::Command;

use judging::workbook::Workbook;

/// Runs the reference's scenes and trials under a parent that passes on 200 open descriptors, a
/// closed standard input, a soft limit of 64 descriptors, all signals blocked and some ignored, the
/// umask 077, and neither HOME nor TMPDIR.
fn played_below_a_hostile_parent(language: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile_parent.py");
    let mut command = Command::new("python3");
    command.arg(script).arg(language).args([env!("CARGO_BIN_EXE_author"), "stress", "1"]);
    let output = command.output().expect("python3");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{}\n{out}{err}", output.status);
    out
}

#[test]
fn each_scene_and_each_trial_is_green_below_a_hostile_parent_in_any_language() {
    let steps = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap().steps().unwrap();
    for language in ["C", "tr_TR.UTF-8"] {
        let said = played_below_a_hostile_parent(language);
        for step in &steps {
            let line = said.lines().find(|line| line.starts_with(step.as_str()));
            assert!(line.is_some_and(|line| line.ends_with(" runs, 0 not as expected")), "{said}");
        }
    }
}

/// Checks the state that the hostile parent passes to its programs.
#[test]
fn the_hostile_parent_is_hostile() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile_parent.py");
    // With so many open descriptors, the program can't open any file before it raises the limit.
    let look = "import os, resource, signal
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [])
print(soft, len(os.listdir('/proc/self/fd')) > 200, oct(os.umask(0)), signal.SIGUSR1 in blocked,
      signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN, os.environ.get('HOME'))";
    let mut command = Command::new("python3");
    let output = command.arg(script).args(["C", "python3", "-c", look]).output().expect("python3");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "64 True 0o77 True True None");
}
