//! Every fault that a scene can have is reported in its own sentence, and none of the faults harms
//! the runner.

mod common;

use std::path::Path;
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use common::{assert_ends, play_impatiently};
use judging::run::{Fault, SceneRun, record_scene, run_scene_showing};

const PROGRAM: &str = env!("CARGO_BIN_EXE_misbehave");

/// The runner also reaps the processes that a scene leaves behind, and it takes any other child
/// that has ended for one of them. So a child that a test starts itself runs only while no scene is
/// running.
static SCENES: RwLock<()> = RwLock::new(());

fn run(scene: &str) -> SceneRun {
    let _scenes_run = SCENES.read().unwrap_or_else(PoisonError::into_inner);
    run_scene_showing(Path::new(PROGRAM), scene, &mut |_| ()).expect("run")
}

fn run_impatiently(scene: &str) -> String {
    let _no_scene_runs = SCENES.write().unwrap_or_else(PoisonError::into_inner);
    play_impatiently(PROGRAM, scene).1
}

#[track_caller]
fn assert_says(scene: &str, sentence: &str) {
    let said = run(scene).sentence().unwrap_or_default();
    assert!(said.contains(sentence), "{scene}: {said}");
}

#[track_caller]
fn assert_hangs(scene: &str, sentence: &str) {
    let said = run_impatiently(scene);
    assert!(said.contains(sentence), "{scene}: {said}");
}

#[test]
fn what_a_scene_leaves_behind_is_found_without_its_environment_if_no_other_runs() {
    // This scene runs in a process of its own, so no other scene runs there.
    let said = run_impatiently("leaves_a_stranger_behind");
    assert!(said.contains("left a process behind outside its process group"), "{said}");
    assert!(said.contains("sleep"), "{said}");
}

#[test]
fn a_scene_whose_judge_has_ended_before_does_not_begin() {
    let (reader, writer) = std::io::pipe().expect("make a pipe");
    drop(reader);
    let _no_scene_runs = SCENES.write().unwrap_or_else(PoisonError::into_inner);
    // The program would spin forever.
    let output = std::process::Command::new(PROGRAM)
        .args(["run-scene", "spins"])
        .env("WORKBOOK_RECORDS_ON_STDIN", "a tag")
        .stdin(writer)
        .output()
        .expect("start it");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(said, "error: can't reach the runner: it has ended\n");
}

#[test]
fn a_clean_scene_has_its_transcript_and_no_fault() {
    let done = run("behaves");
    assert_eq!(done.sentence(), None);
    assert_eq!(done.transcript, "one\ntwo, with \\n and \\ in it\nand a second line\n");
    assert_eq!(done.printed, "");
}

#[test]
fn a_question_of_a_recording_that_comes_at_a_bad_moment_is_no_fault_of_the_scene() {
    let done = {
        let _scenes_run = SCENES.read().unwrap_or_else(PoisonError::into_inner);
        record_scene(Path::new(PROGRAM), "is_asked_at_a_bad_moment").expect("run")
    };
    let said = done.sentence().unwrap_or_default();
    assert!(said.contains("exit code 7") && !said.contains("panic"), "{said}");
    assert_eq!((done.faults.len(), &*done.printed), (1, ""));
    let said = done.moments.iter().filter(|moment| moment.starts_with("kind\tsay\n"));
    let answers: Vec<&str> = said.filter_map(|moment| moment.lines().last()).collect();
    assert_eq!(answers, ["unanswered\tyes", "answers\t()"]);
}

#[test]
fn the_reader_s_own_output_makes_no_right_answer_wrong() {
    let done = run("is_noisy");
    assert_eq!(done.sentence(), None);
    assert_eq!(done.transcript, "one\ntwo\n");
    for text in ["no newline", "on stderr\n", "a line\n", "at the end"] {
        assert!(done.printed.contains(text), "{text}");
    }
}

#[test]
fn much_output_is_cut_and_counted_and_makes_no_right_answer_wrong() {
    let done = run("is_very_noisy");
    assert_eq!(done.sentence(), None);
    assert_eq!(done.printed.len() as u64 + done.cut, 300_000);
    assert!(done.printed.len() <= 64 * 1024);
}

#[test]
fn a_flood_is_stopped() {
    let done = run("floods");
    assert_eq!(done.faults, [Fault::Flood { mebibytes: 8 }]);
    assert_eq!(done.transcript, "one\n");
    assert!(done.printed.len() <= 64 * 1024);
}

#[test]
fn a_transcript_without_an_end_is_cut() {
    assert_says("says_too_much", "longer than 1024 KiB");
}

#[test]
fn a_panic_is_told_with_its_place_and_all_its_lines() {
    let done = run("panics");
    assert_eq!(done.transcript, "one\n");
    let said = done.sentence().unwrap_or_default();
    assert!(said.starts_with("panicked at workbook/runner/tests/fixture/misbehave.rs:"), "{said}");
    assert!(said.ends_with(": two\nlines"), "{said}");
}

#[test]
fn a_panic_in_a_thread_is_told_though_the_scene_goes_on() {
    let done = run("panics_in_a_thread");
    assert_eq!(done.transcript, "one\n");
    assert_says("panics_in_a_thread", "thread worker panicked at");
}

#[test]
fn a_panic_comes_before_the_hang_it_led_to() {
    let said = run_impatiently("panics_in_a_thread_and_hangs");
    let panic = said.find("panicked at").expect("the panic");
    assert!(said[panic..].contains("asleep for 1 s in futex"), "{said}");
}

#[test]
fn not_written_yet_is_told_from_panicked() {
    let faults = run("is_not_written").faults;
    assert!(matches!(faults.as_slice(), [Fault::NotWritten(_)]), "{faults:?}");
    assert_says("is_not_written", "not written yet: exercise 9.1: Write it.");
}

#[test]
fn an_error_is_told() {
    assert_says("errs", "ended with an error: epoll_ctl ADD fd 5: File exists");
}

#[test]
fn a_loop_that_spins_is_busy() {
    assert_hangs("spins", "busy for ");
}

#[test]
fn a_wait_without_a_timeout_names_the_call_it_sleeps_in() {
    assert_hangs(
        "sleeps_in_epoll",
        "asleep for 1 s in epoll_wait, with no timeout: nothing woke it",
    );
}

#[test]
fn a_blocking_read_names_what_it_reads() {
    assert_hangs("sleeps_in_read", "on a socket: nothing arrived, not even end of file");
}

#[test]
fn a_channel_without_a_sender_is_a_futex() {
    assert_hangs("sleeps_in_a_channel", "asleep for 1 s in futex, for a lock, a channel");
}

#[test]
fn a_sleep_is_a_sleep() {
    assert_hangs("sleeps_on_the_clock", "nanosleep, sleeping on the real clock");
}

#[test]
fn each_deadly_signal_has_its_name() {
    assert_says("segfaults", "crashed (SIGSEGV)");
    assert_says(
        "aborts",
        "aborted (SIGABRT) without a message on standard error: either your code called abort",
    );
    assert_says("dies_of_sigpipe", "killed by SIGPIPE");
    assert_says("dies_of_a_real_time_signal", "killed by signal 37");
}

#[test]
fn a_descriptor_closed_twice_is_told_from_another_abort() {
    assert_says("closes_twice", "closed a descriptor twice");
}

#[test]
fn a_scene_that_closes_even_standard_error_is_told_what_can_be_the_cause() {
    assert_says(
        "closes_all_that_is_low",
        "closed descriptors that it hadn't opened, including standard error",
    );
}

#[test]
fn a_stack_overflow_is_told_from_another_abort() {
    assert_says("overflows_its_stack", "overflowed its stack");
}

#[test]
fn an_exit_before_the_end_is_no_success() {
    assert_says("exits", "ended the process (exit code 0) before the end of the run");
}

#[test]
fn a_leak_is_told_by_kind() {
    let faults = run("leaks").faults;
    assert_eq!(faults, [Fault::Leaks(vec!["socket".into(), "socket".into()])]);
    assert_says("leaks", "leaks descriptors: socket, socket");
}

#[test]
fn closing_what_is_not_its_own_is_told_even_of_standard_output() {
    assert_says("closes_stdin", "closes a descriptor that it didn't open: 0 (/dev/null)");
    assert_says("closes_stdout", "closes a descriptor that it didn't open: 1 (pipe)");
}

#[test]
fn a_process_left_behind_is_ended() {
    let done = run("leaves_a_process_behind");
    assert_ends(done.transcript.trim());
}

#[test]
fn a_process_that_left_the_group_does_not_hold_up_the_runner() {
    let begun = Instant::now();
    assert_says("leaves_a_process_outside", "left a process behind outside its process group");
    assert!(begun.elapsed() < Duration::from_secs(4));
}
