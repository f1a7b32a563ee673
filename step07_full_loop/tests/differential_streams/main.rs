//! Random conversations over a stream, each on our loop and on CPython's: every line must be the same,
//! in the same order.
//!
//! A peer sends chunks, takes what has arrived, and ends. A task reads by lines, separators, counts
//! and up to the end, with a limit that's often too small; it also writes, drains and closes. A third
//! one cancels it now and then. `player.py` is the same player on asyncio, with a clock as virtual as
//! ours, and a socket as real as ours.
//!
//! `DIFFERENTIAL_PROGRAMS=20000` runs more of them, `DIFFERENTIAL_SEED=7` others.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod player;
mod program;

use std::env;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use program::Program;

#[test]
fn random_conversations_are_the_same_on_our_loop_and_on_cpython() {
    if !has_python() {
        assert!(env::var_os("CI").is_none(), "this needs python3, 3.11 or later");
        println!("no python3 of 3.11 or later here: nothing was compared");
        return;
    }
    let (count, seed) = (setting("DIFFERENTIAL_PROGRAMS", 400), setting("DIFFERENTIAL_SEED", 1));
    let programs: Vec<Program> =
        (0..count).map(|number| Program::random(seed * 1_000_003 + number)).collect();
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

fn has_python() -> bool {
    let version = "import sys; sys.exit(sys.version_info < (3, 11))";
    Command::new("python3").args(["-c", version]).status().is_ok_and(|status| status.success())
}

/// One process for all of them: programs in, transcripts out, each ended by an empty line.
fn play_on_cpython(programs: &[Program]) -> Vec<Vec<String>> {
    let player = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential_streams/player.py");
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
