//! Every process that the runner starts is stopped when the runner ends, no matter how it ends.

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};

use common::{assert_ends, is_alive};
use rustix::process::{Pid, Signal, kill_process};

/// Starts a runner on a scene that hangs and waits until the scene has reported its process ID.
fn hanging(scene: &str) -> (Child, String) {
    let mut runner = kit::as_in_a_terminal(env!("CARGO_BIN_EXE_misbehave"));
    runner.args(["play", scene]);
    begun(runner)
}

fn begun(mut runner: Command) -> (Child, String) {
    let runner = runner.env("WORKBOOK_PATIENCE", "60").stdout(Stdio::piped());
    let mut runner = runner.spawn().expect("start the runner");
    let mut number = String::new();
    let stdout = runner.stdout.take().expect("its output");
    BufReader::new(stdout).read_line(&mut number).expect("the scene's number");
    (runner, number.trim().to_owned())
}

fn end(runner: &mut Child, signal: Signal) -> ExitStatus {
    kill_process(Pid::from_child(runner), signal).expect("send the signal");
    runner.wait().expect("wait for the runner")
}

#[test]
fn a_signal_ends_the_scene_or_its_daemon_and_is_told_in_the_exit_code() {
    for scene in ["starts_another_and_hangs", "starts_a_daemon_and_hangs"] {
        for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
            let (mut runner, process) = hanging(scene);
            assert!(is_alive(&process));
            assert_eq!(end(&mut runner, signal).code(), Some(128 + signal.as_raw()));
            assert_ends(&process);
        }
    }
}

/// Starts a runner as `nohup` or a script's `&` would, with an ignored signal.
fn ignoring(signal: &str) -> (Child, String) {
    let mut runner = kit::as_in_a_terminal("sh");
    let become_it = format!("trap '' {signal}; exec \"$0\" play says_its_number_and_hangs");
    runner.args(["-c", &become_it, env!("CARGO_BIN_EXE_misbehave")]);
    begun(runner)
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    // The second signal has the higher number, so it can't be heard before the first.
    for (ignored, name, heard) in
        [(Signal::HUP, "HUP", Signal::INT), (Signal::INT, "INT", Signal::TERM)]
    {
        let (mut runner, scene) = ignoring(name);
        kill_process(Pid::from_child(&runner), ignored).expect("send the signal");
        assert_eq!(end(&mut runner, heard).code(), Some(128 + heard.as_raw()));
        assert_ends(&scene);
    }
}

#[test]
fn a_runner_that_ignores_sigterm_ends_with_ctrl_c() {
    let (mut runner, scene) = ignoring("TERM");
    kill_process(Pid::from_child(&runner), Signal::TERM).expect("send the signal");
    assert_eq!(end(&mut runner, Signal::INT).code(), Some(130));
    assert_ends(&scene);
}

#[test]
fn a_runner_that_is_killed_outright_leaves_no_scene_behind() {
    let (mut runner, scene) = hanging("says_its_number_and_hangs");
    assert_eq!(end(&mut runner, Signal::KILL).code(), None);
    assert_ends(&scene);
}
