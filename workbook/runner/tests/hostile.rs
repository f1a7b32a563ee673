//! A page can do anything that a program can. Whatever it does to the runner, the reader gets a
//! report, and no process that the page started outlives its scene.

mod common;

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use common::{assert_ends, play_impatiently};
use judging::run::{Fault, SceneRun, run_scene_showing};

const PROGRAM: &str = env!("CARGO_BIN_EXE_misbehave");

fn run(scene: &str) -> SceneRun {
    run_scene_showing(Path::new(PROGRAM), scene, &mut |_| ()).expect("run")
}

#[test]
fn a_process_in_a_session_of_its_own_is_named_and_ended() {
    let done = run("leaves_a_session_behind");
    assert_eq!(done.faults, [Fault::LeftBehind(vec!["sleep".to_owned()])]);
    assert_ends(done.transcript.trim());
}

#[test]
fn so_is_the_process_that_it_started() {
    let done = run("leaves_a_grandchild_behind");
    let said = done.sentence().unwrap_or_default();
    assert!(said.contains("behind outside its process group"), "{said}");
    assert_ends(done.transcript.trim());
    assert_ends(done.printed.trim());
}

#[test]
fn a_flood_from_a_grandchild_is_stopped_and_told() {
    let done = run("leaves_a_flood_behind");
    assert_ends(done.transcript.trim());
    assert!(done.faults.contains(&Fault::LeftBehind(vec!["yes".to_owned()])), "{:?}", done.faults);
}

#[test]
fn a_scene_that_joins_the_runners_group_is_ended_all_the_same() {
    let (transcript, said) = play_impatiently(PROGRAM, "joins_the_runner_and_hangs");
    assert!(said.contains("asleep for 1 s"), "{said}");
    assert_ends(transcript.trim());
}

#[test]
fn a_scene_has_a_directory_of_its_own_which_is_gone_afterwards() {
    let done = run("tells_its_state");
    assert_eq!(done.sentence(), None);
    let (first, second) = (done.transcript, run("tells_its_state").transcript);
    let [here, there] = [&first, &second].map(|said| said.lines().next().expect("a directory"));
    assert_ne!(here, there);
    assert!(first.contains("TMPDIR is the same: true"), "{first}");
    assert!(!Path::new(here).exists() && !Path::new(there).exists(), "{here} {there}");
}

#[test]
fn what_a_killed_runner_has_left_behind_is_removed_by_the_next_one() {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("of-a-killed-runner");
    let left = base.join("workbook-run-4194305-0");
    std::fs::create_dir_all(left.join("a/directory")).expect("a directory");
    let mut command = Command::new(PROGRAM);
    let output = command.args(["play", "tells_its_state"]).env("TMPDIR", &base).output();
    assert!(output.expect("play").status.success());
    assert_eq!(std::fs::read_dir(&base).expect("list it").count(), 0);
}

#[test]
fn a_panic_that_the_page_catches_is_no_fault() {
    let done = run("catches_a_panic");
    assert_eq!(done.sentence(), None);
    assert_eq!(done.transcript, "caught: true\n");
    assert_eq!(done.caught.len(), 1);
}

#[test]
fn a_panic_hook_that_hides_a_panic_is_told() {
    let done = run("replaces_the_hook");
    assert_eq!(done.faults, [Fault::HookReplaced]);
    let said = run("replaces_the_hook_and_panics").sentence().unwrap_or_default();
    assert!(said.contains("exit code 101") && said.contains("set_hook"), "{said}");
}

#[test]
fn a_panic_hook_that_is_put_back_is_no_fault() {
    assert_eq!(run("replaces_the_hook_for_a_while").sentence(), None);
}

#[test]
fn a_page_that_stops_itself_is_told_so() {
    let (_, said) = play_impatiently(PROGRAM, "stops_itself");
    assert!(said.contains("stopped by SIGSTOP"), "{said}");
}

#[test]
fn records_that_are_printed_are_only_printed() {
    let done = run("forges_records");
    assert_eq!(done.sentence(), None);
    assert_eq!(done.transcript, "one\n");
    assert_eq!(done.printed.matches("forged").count(), 2);
}

#[test]
fn too_much_memory_is_told_from_another_abort() {
    let said = run("asks_for_too_much_memory").sentence().unwrap_or_default();
    assert!(said.contains("more memory"), "{said}");
}

#[test]
fn a_runner_that_its_page_kills_leaves_no_scene_behind() {
    let mut runner = Command::new(PROGRAM);
    let output = runner.args(["play", "kills_the_runner"]).output().expect("play");
    assert_eq!(output.status.signal(), Some(libc::SIGKILL));
    let scene = String::from_utf8(output.stdout).expect("UTF-8");
    if !scene.is_empty() {
        assert_ends(scene.trim());
    }
}
