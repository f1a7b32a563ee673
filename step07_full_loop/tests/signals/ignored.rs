//! Signals that were ignored when this process was started, as SIGINT is in the background of a
//! shell script.

use std::process::Command;
use std::time::Duration;

use step05_selfpipe::{has_default_action, raise};
use step07_full_loop::{EventLoop, Runner, SIGINT, run, sleep};

/// Runs a test of this file in a process of its own, in which SIGINT is ignored. Returns false in
/// that process.
fn passes_with_sigint_ignored(test: &str) -> bool {
    if std::env::var_os("IS_CHILD").is_some() {
        return false;
    }
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"trap "" INT; exec "$0" "$@""#]).arg(std::env::current_exe().unwrap());
    shell.args(["--exact", &format!("ignored::{test}"), "--nocapture"]).env("IS_CHILD", "1");
    let output = shell.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
    true
}

#[test]
fn run_leaves_an_ignored_sigint_ignored() {
    let _alone = crate::alone();
    if passes_with_sigint_ignored("run_leaves_an_ignored_sigint_ignored") {
        return;
    }
    let main = || async {
        for _ in 0..3 {
            raise(SIGINT)?;
            sleep(Duration::from_millis(1)).await?;
        }
        Ok(42)
    };
    assert_eq!(run(main()).unwrap(), 42);
    let runner = Runner::new().unwrap();
    assert_eq!(runner.run(main()).unwrap(), 42);
    assert_eq!(runner.run(main()).unwrap(), 42);
    runner.close().unwrap();
    assert!(!has_default_action(SIGINT).unwrap());
    raise(SIGINT).unwrap();
}

#[test]
fn a_handler_that_is_asked_for_takes_an_ignored_signal() {
    let _alone = crate::alone();
    if passes_with_sigint_ignored("a_handler_that_is_asked_for_takes_an_ignored_signal") {
        return;
    }
    let event_loop = EventLoop::new().unwrap();
    let stopper = event_loop.clone();
    event_loop.add_signal_handler(SIGINT, move || stopper.stop()).unwrap();
    raise(SIGINT).unwrap();
    event_loop.run_forever().unwrap();
    assert!(event_loop.remove_signal_handler(SIGINT).unwrap());
    // The signal is ignored again, as before.
    raise(SIGINT).unwrap();
    event_loop.close().unwrap();
}

#[test]
fn there_is_no_action_of_what_is_no_signal() {
    for number in [-1, 0, 1000, i32::MAX] {
        let error = has_default_action(number).unwrap_err();
        assert!(error.to_string().starts_with(&format!("sigaction signal {number}: ")), "{error}");
    }
}
