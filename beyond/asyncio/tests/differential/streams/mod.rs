//! Random conversations over a stream, each on our loop and on CPython's: every line must be the
//! same, in the same order.
//!
//! A peer sends chunks, takes the bytes that have arrived, and ends. A task reads by lines,
//! separators, counts and up to the end, with a limit that's often too small; it also writes,
//! drains and closes. Another task cancels that task now and then. `player.py` is the same player
//! on asyncio, with a clock as virtual as ours and a socket as real as ours.

mod player;
mod program;

use author::differential::{self, Version};

use self::program::Program;

#[test]
fn random_conversations_are_the_same_on_our_loop_and_on_cpython() {
    differential::agree::<Program>(env!("CARGO_MANIFEST_DIR"), "tests/differential/streams", 400);
}

impl differential::Program for Program {
    fn random(number: u64, _: Version) -> Self {
        Program::random(number)
    }

    fn play(&self) -> Vec<String> {
        player::play(self)
    }
}
