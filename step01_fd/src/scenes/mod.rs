//! The experiments of step 01, in the order the chapter meets them.

mod exercises;
mod interrupt;
mod numbers;
mod sleeper;
mod transfers;

pub(crate) use exercises::EXERCISES;
use workbook::Scene;

pub(crate) const SCENES: &[Scene] = &[
    Scene {
        name: "lowest_free_number",
        about: "Which number does a new descriptor get?",
        play: numbers::lowest_free_number,
    },
    Scene {
        name: "more_than_files",
        about: "What do numbers name?",
        play: numbers::more_than_files,
    },
    Scene {
        name: "dup_shares_the_offset",
        about: "Two numbers for one file: who remembers how far it was read?",
        play: numbers::dup_shares_the_offset,
    },
    Scene {
        name: "flags_from_birth",
        about: "What must a descriptor of an event loop be from its first moment?",
        play: numbers::flags_from_birth,
    },
    Scene {
        name: "end_or_would_block",
        about: "A pipe has nothing to read: for now, or for good?",
        play: transfers::end_or_would_block,
    },
    Scene {
        name: "interrupted_read",
        about: "A signal arrives while a thread is asleep in read. What does read return?",
        play: interrupt::interrupted_read,
    },
    Scene {
        name: "full_pipe",
        about: "How much does a pipe take, and when does it take more?",
        play: transfers::full_pipe,
    },
    Scene {
        name: "broken_pipe",
        about: "What happens to bytes that nobody can read any more?",
        play: transfers::broken_pipe,
    },
];
