//! The experiments of step 01, in the order the chapter meets them.

mod children;
mod exercises;
mod interrupt;
mod limits;
mod numbers;
mod objects;
mod readiness;
mod sleeper;
mod transfers;

pub(crate) use exercises::EXERCISES;
use workbook::Scene;

pub(crate) const SCENES: &[Scene] = &[
    Scene {
        name: "lowest_free_number",
        about: "Which numbers do new descriptors get?",
        play: numbers::lowest_free_number,
    },
    Scene {
        name: "flags_from_birth",
        about: "What must a descriptor of an event loop be from its first moment?",
        play: numbers::flags_from_birth,
    },
    Scene {
        name: "no_such_pipe",
        about: "Half of the work was done when it failed. What is left behind?",
        play: transfers::no_such_pipe,
    },
    Scene {
        name: "blocking_is_shared",
        about: "One number is made non-blocking. Which others are, too?",
        play: numbers::blocking_is_shared,
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
        name: "inherited",
        about: "A pipe's writer is closed. Why does its reader not see the end?",
        play: children::inherited,
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
    Scene {
        name: "interrupted_write",
        about: "A signal arrives in the middle of a write. What does write return?",
        play: interrupt::interrupted_write,
    },
    Scene {
        name: "reused_number",
        about: "A number is kept after it was closed. Whom does it reach?",
        play: numbers::reused_number,
    },
    Scene {
        name: "ready_or_not",
        about: "May I read, may I write, without blocking?",
        play: readiness::ready_or_not,
    },
    Scene {
        name: "slow_reader",
        about: "There is more to write than fits. Where is the rest?",
        play: transfers::slow_reader,
    },
    Scene {
        name: "always_ready",
        about: "What does the question mean for a file?",
        play: readiness::always_ready,
    },
    Scene {
        name: "sigpipe",
        about: "Nobody reads what a program prints. How does it learn of it?",
        play: children::sigpipe,
    },
    Scene {
        name: "reading_takes_no_number",
        about: "All numbers are taken. Can a socket still be read?",
        play: limits::reading_takes_no_number,
    },
    Scene {
        name: "out_of_numbers",
        about: "The process may open no more. What still works?",
        play: limits::out_of_numbers,
    },
];
