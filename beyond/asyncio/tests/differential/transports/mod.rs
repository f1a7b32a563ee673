//! Hundreds of random programs, each run on our transports and on CPython's: the two protocols must
//! be called in the same order, in the same ticks, with the same bytes.
//!
//! A program is a socket pair with a transport at each end. In each tick it acts on them in a few
//! ways, and the protocols react when they're called: they write, pause, set limits, end, close,
//! abort, fail.

mod player;
mod program;
mod protocol;

use author::differential::{self, Version};

use self::program::Program;

#[test]
fn random_programs_call_protocols_here_as_on_cpython() {
    differential::agree::<Program>(
        env!("CARGO_MANIFEST_DIR"),
        "tests/differential/transports",
        300,
    );
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
