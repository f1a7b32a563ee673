//! Hundreds of random programs, each run on our loop and on CPython's: every line must be the same,
//! in the same order.
//!
//! A program is a handful of tasks that sleep, wait for each other, cancel each other, schedule
//! callbacks, use pipes and signals, and stop the loop. `player.py` is the same player on asyncio,
//! with a clock as virtual as ours. Deadlines are never equal, since asyncio promises no order for
//! those.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod player;
mod program;

use author::differential::{self, Version};

use program::Program;

#[test]
fn random_programs_print_on_our_loop_what_they_print_on_cpython() {
    differential::agree::<Program>(env!("CARGO_MANIFEST_DIR"), "tests/differential", 400);
}

impl differential::Program for Program {
    fn random(number: u64, _: Version) -> Self {
        Program::random(number)
    }

    fn play(&self) -> Vec<String> {
        player::play(self)
    }
}
