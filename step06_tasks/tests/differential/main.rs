//! Hundreds of random programs, each run on our queue and on CPython's asyncio: every line must be
//! the same, in the same order.
//!
//! A program is a handful of futures, tasks and callbacks that finish, await, cancel and drop each
//! other. Our queue has no loop yet, so both players run it round by round: `run_ready` here, and
//! one tick of asyncio's loop there. Between two rounds the program itself acts.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod object;
mod perform;
mod player;
mod program;
mod verbs;

use author::differential::{self, Version};

use program::Program;

#[test]
fn random_programs_print_on_our_queue_what_they_print_on_cpython() {
    differential::agree::<Program>(env!("CARGO_MANIFEST_DIR"), "tests/differential", 400);
}

impl differential::Program for Program {
    fn random(number: u64, _: Version) -> Self {
        Program::random(number)
    }

    fn play(&self) -> Vec<String> {
        player::play(self)
    }

    fn shorter(&self) -> Vec<Self> {
        self.shorter().collect()
    }
}
