//! Hundreds of random programs, each run on our queue and on CPython's asyncio: every line must be
//! the same, in the same order.
//!
//! A program is a handful of futures, tasks and callbacks that finish, await, cancel and drop each
//! other. Our queue has no loop yet, so both players run it round by round: `run_ready` here, and
//! one tick of asyncio's loop there. Between two rounds the program itself acts.
//!
//! `DIFFERENTIAL_PROGRAMS=50000` runs more of them, `DIFFERENTIAL_FIRST=1000` others, and
//! `DIFFERENTIAL_PYTHON=python3.13` asks another CPython.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod cpython;
mod object;
mod perform;
mod player;
mod program;
mod verbs;

use std::env;

use cpython::CPython;
use program::Program;

#[test]
fn random_programs_print_on_our_queue_what_they_print_on_cpython() {
    let python = env::var("DIFFERENTIAL_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let Some(mut cpython) = CPython::start(&python) else {
        assert!(env::var_os("CI").is_none(), "this needs {python} to be 3.11 or later");
        println!("{python} isn't CPython 3.11 or later: nothing was compared");
        return;
    };
    let (first, count) = (setting("DIFFERENTIAL_FIRST", 0), setting("DIFFERENTIAL_PROGRAMS", 400));
    let mut compared = 0;
    for number in first..first + count {
        let program = Program::random(number);
        let theirs = cpython.play(&program);
        if theirs == LEFT_OUT {
            continue;
        }
        compared += 1;
        if player::play(&program) != theirs {
            fail(number, shortened(program, &mut cpython), &mut cpython);
        }
    }
    println!("{compared} of {count} programs were compared");
    assert!(compared * 10 >= count * 9, "{compared} of {count} programs were compared");
}

/// What CPython's player says of a program in which its version differs from later ones.
const LEFT_OUT: [&str; 1] = ["left out"];

/// Leaves out one verb after the other, as long as the transcripts differ.
fn shortened(program: Program, cpython: &mut CPython) -> Program {
    let differs = |program: &Program, cpython: &mut CPython| {
        let theirs = cpython.play(program);
        theirs != LEFT_OUT && player::play(program) != theirs
    };
    let shorter = program.shorter().find(|shorter| differs(shorter, cpython));
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
