//! Hundreds of random programs that wait for many, each run on our loop and on CPython's: every line
//! must be the same, in the same order.
//!
//! A program is a handful of tasks that gather each other, wait for each other in all ways, shield
//! each other, have little time, start and leave task groups, cancel each other, and fail. `player.py`
//! is the same player on asyncio, with a clock as virtual as ours. Deadlines are never equal, since
//! asyncio promises no order for those.
//!
//! CPython's versions differ in places. Where an older one does something else than this loop, which
//! follows the newer ones, `player.py` says so, and the rest of that program isn't compared. One
//! version may say so in at most half of the programs.
//!
//! `DIFFERENTIAL_PROGRAMS=20000` runs more of them, `DIFFERENTIAL_SEED=7` others.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod player;
mod program;
mod stage;

use std::env;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use program::Program;

/// What `player.py` prints where an older version of CPython differs.
const VERSIONS_DIFFER: &str = "versions differ";

#[test]
fn random_programs_print_on_our_loop_what_they_print_on_cpython() {
    if !is_python((3, 11)) {
        assert!(env::var_os("CI").is_none(), "this needs python3, 3.11 or later");
        println!("no python3 of 3.11 or later here: nothing was compared");
        return;
    }
    let (count, seed) = (setting("DIFFERENTIAL_PROGRAMS", 400), setting("DIFFERENTIAL_SEED", 1));
    let with_wait_for = is_python((3, 12));
    let seeds = (0..count).map(|number| seed * 1_000_003 + number);
    let programs: Vec<Program> = seeds.map(|seed| Program::random(seed, with_wait_for)).collect();
    let theirs = play_on_cpython(&programs);
    assert_eq!(theirs.len(), programs.len(), "CPython played all of them");
    let mut cut = 0;
    for (program, theirs) in programs.iter().zip(theirs) {
        let ours = player::play(program);
        let common = theirs.iter().position(|line| line == VERSIONS_DIFFER);
        cut += usize::from(common.is_some());
        let compared = common.unwrap_or(theirs.len().max(ours.len()));
        assert!(
            ours.iter().take(compared).eq(theirs.iter().take(compared)),
            "the program\n{program}\nprints here\n{}\n\nand on CPython\n{}\n",
            ours.join("\n"),
            theirs.join("\n")
        );
    }
    println!("{} programs; in {cut} of them, this version of CPython differs", programs.len());
    assert!(cut * 2 <= programs.len(), "too little was compared");
}

fn setting(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |value| value.parse().unwrap())
}

/// Returns true if there's a python3 of this version or a later one.
fn is_python(oldest: (u32, u32)) -> bool {
    let version = format!("import sys; sys.exit(sys.version_info < {oldest:?})");
    Command::new("python3").args(["-c", &version]).status().is_ok_and(|status| status.success())
}

/// One process for all of them: programs in, transcripts out, each ended by an empty line.
fn play_on_cpython(programs: &[Program]) -> Vec<Vec<String>> {
    let player = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential_waiting/player.py");
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
