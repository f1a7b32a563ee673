//! The frame every step of the workbook hangs in.
//!
//! A step crate teaches one layer. What is the same for all of them lives here:
//!
//! - [`Step`], [`Scene`], [`Exercise`]: what a step declares about itself;
//! - [`Transcript`] and [`say!`]: how a scene reports what it saw;
//! - [`main()`]: the command line behind `cargo run -p stepNN…`.
//!
//! Nothing here is part of an event loop, and nothing here needs `unsafe`.

#![forbid(unsafe_code)]
// Reports are put together piece by piece; `write!` would hide that behind results to ignore.
#![allow(clippy::format_push_string)]

#[cfg(not(target_os = "linux"))]
compile_error!(
    "This workbook is about Linux (epoll, eventfd, /proc), so it builds on Linux alone: \
     use a Linux machine or a virtual one, WSL 2 on Windows, or `docker run -it rust` on macOS."
);

mod answers;
mod arguments;
mod cargo;
mod command_line;
mod commands;
mod compare;
mod descriptors;
pub mod fault;
mod gathered;
mod judge;
pub mod ledger;
mod lifeline;
mod look;
pub mod manifest;
pub mod notebook;
mod perform;
pub mod performance;
mod place;
mod proof;
mod record;
mod report;
pub mod root;
mod soak;
mod source;
mod step;
mod streams;
mod system_calls;
pub mod terminal;
pub mod testing;
mod transcript;
mod trial;
pub mod twins;
mod usage;
mod verdict;

pub use command_line::{complain, main, misused};
pub use record::Panic;
pub use step::{Exercise, Scene, Step};
pub use transcript::Transcript;
