//! Random programs with locks, events, conditions, semaphores, queues and barriers, each run on our
//! loop and on CPython's: every line must be the same, in the same order.
//!
//! The tasks of a program use a few objects in any way, including wrong ways, and cancel each other
//! at any moment. `player.py` is the same player on asyncio. A line says when a task continues, so
//! the number of ticks between a release and the step of the task that waited has to be the same.

mod acts;
mod objects;
mod player;
mod program;

use author::differential::{self, Version};

use self::program::{Dialect, Program};

#[test]
fn random_programs_with_locks_and_queues_print_what_they_print_on_cpython() {
    differential::agree::<Program>(env!("CARGO_MANIFEST_DIR"), "tests/differential/sync", 400);
}

impl differential::Program for Program {
    fn random(number: u64, version: Version) -> Self {
        Program::random(number, Dialect { is_3_13: version >= (3, 13) })
    }

    fn play(&self) -> Vec<String> {
        player::play(self)
    }
}
