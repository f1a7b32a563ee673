//! Hundreds of random programs with locks, events, conditions, semaphores, queues and barriers, each
//! run on our loop and on CPython's: every line must be the same, in the same order.
//!
//! The tasks of a program use a few objects in any way, also the wrong one, and cancel each other at
//! any moment. `player.py` is the same player on asyncio. A line says when a task continues, so the
//! number of ticks between a release and the step of the task that waited has to be the same.
//!
//! `DIFFERENTIAL_PROGRAMS=20000` runs more of them, `DIFFERENTIAL_SEED=7` others.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod acts;
mod objects;
mod player;
mod program;

use std::env;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use program::{Dialect, Program};

#[test]
fn random_programs_with_locks_and_queues_print_what_they_print_on_cpython() {
    if !has_python(11) {
        assert!(env::var_os("CI").is_none(), "this needs python3, 3.11 or later");
        println!("no python3 of 3.11 or later here: nothing was compared");
        return;
    }
    let dialect = Dialect { is_3_13: has_python(13) };
    let (count, seed) = (setting("DIFFERENTIAL_PROGRAMS", 400), setting("DIFFERENTIAL_SEED", 1));
    let programs: Vec<Program> =
        (0..count).map(|number| Program::random(seed * 1_000_003 + number, dialect)).collect();
    let theirs = play_on_cpython(&programs);
    assert_eq!(theirs.len(), programs.len(), "CPython played all of them");
    for (program, theirs) in programs.iter().zip(theirs) {
        let ours = player::play(program);
        assert!(
            ours == theirs,
            "the program\n{program}\nprints here\n{}\n\nand on CPython\n{}\n",
            ours.join("\n"),
            theirs.join("\n")
        );
    }
}

fn setting(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |value| value.parse().unwrap())
}

/// Tells whether python3 is 3.x or later.
fn has_python(minor: u32) -> bool {
    let version = format!("import sys; sys.exit(sys.version_info < (3, {minor}))");
    Command::new("python3").args(["-c", &version]).status().is_ok_and(|status| status.success())
}

/// One process for all of them: programs in, transcripts out, each ended by an empty line.
fn play_on_cpython(programs: &[Program]) -> Vec<Vec<String>> {
    let player = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential_sync/player.py");
    let mut python = Command::new("python3")
        .arg("-I")
        .arg(player)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = python.stdin.take().unwrap();
    let programs: Vec<String> = programs.iter().map(Program::to_string).collect();
    let text = programs.join("\n");
    let writing = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = python.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    assert!(output.status.success(), "player.py failed");
    let text = String::from_utf8(output.stdout).unwrap();
    let transcripts = text.trim_end().split("\n\n");
    transcripts.map(|lines| lines.lines().map(str::to_owned).collect()).collect()
}
