//! Random programs that wait for many, each run on our loop and on CPython's: every line must be
//! the same, in the same order.
//!
//! A program is a handful of tasks that gather each other, wait for each other in all ways, shield
//! each other, run under short limits, start and leave task groups, cancel each other, and fail.
//! `player.py` is the same player on asyncio, with a clock as virtual as ours. Deadlines are never
//! equal, since asyncio promises no order for those.
//!
//! CPython's versions differ in places. If an older version differs from this loop, which follows
//! the newer versions, `player.py` says so, and the rest of that program isn't compared. One
//! version may say so in at most half of the programs.

mod player;
mod program;
mod stage;

use author::differential::{self, Version};

use self::program::Program;

#[test]
fn random_programs_print_on_our_loop_what_they_print_on_cpython() {
    differential::agree::<Program>(env!("CARGO_MANIFEST_DIR"), "tests/differential/waiting", 1500);
}

impl differential::Program for Program {
    fn random(number: u64, version: Version) -> Self {
        let with_wait_for = version >= (3, 12);
        Program::random(number, with_wait_for)
    }

    fn play(&self) -> Vec<String> {
        player::play(self)
    }
}
