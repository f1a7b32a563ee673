//! Hundreds of random programs, each run on our transports and on CPython's: the two protocols must
//! be called in the same order, in the same ticks, with the same bytes.
//!
//! A program is a socket pair with a transport at each end. In each tick it does a few things to
//! them, and the protocols do others when they're called: write, pause, set limits, end, close,
//! abort, fail.
//!
//! `DIFFERENTIAL_PROGRAMS=10000` runs more of them, `DIFFERENTIAL_FIRST=1000` others, and
//! `DIFFERENTIAL_PYTHON=python3.13` asks another CPython.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod cpython;
mod player;
mod program;
mod protocol;

use std::env;

use cpython::CPython;
use kit::limit_time;
use program::Program;

#[test]
fn random_programs_call_protocols_here_as_on_cpython() {
    let python = env::var("DIFFERENTIAL_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let Some(mut cpython) = CPython::start(&python) else {
        assert!(env::var_os("CI").is_none(), "this needs {python} to be 3.11 or later");
        println!("{python} isn't CPython 3.11 or later: nothing was compared");
        return;
    };
    let (first, count) = (setting("DIFFERENTIAL_FIRST", 0), setting("DIFFERENTIAL_PROGRAMS", 300));
    if count <= 300 {
        limit_time();
    }
    for number in first..first + count {
        let program = Program::random(number);
        if player::play(&program) != cpython.play(&program) {
            fail(number, shortened(program, &mut cpython), &mut cpython);
        }
    }
}

/// Leaves out one action after the other, as long as the transcripts differ.
fn shortened(program: Program, cpython: &mut CPython) -> Program {
    let differs = |program: &Program| player::play(program) != cpython.play(program);
    let shorter = program.shorter().find(differs);
    match shorter {
        Some(shorter) => shortened(shorter, cpython),
        None => program,
    }
}

fn fail(number: u64, program: Program, cpython: &mut CPython) {
    let (ours, theirs) = (player::play(&program).join("\n"), cpython.play(&program).join("\n"));
    panic!(
        "program {number}, shortened:\n{program}prints here\n{ours}\n\nand on CPython\n{theirs}\n"
    );
}

fn setting(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |value| value.parse().unwrap())
}
