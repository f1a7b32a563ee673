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

mod descriptors;
#[cfg(not(feature = "runner"))]
mod page;
mod perform;
mod record;
#[cfg(feature = "runner")]
mod runner;
mod step;
mod transcript;

#[cfg(not(feature = "runner"))]
pub use page::main;
pub use record::Panic;
#[cfg(feature = "runner")]
pub use runner::{
    complain, fault, ledger, main, manifest, misused, notebook, performance, root, terminal,
    testing, twins,
};
pub use step::{Exercise, Scene, Step};
pub use transcript::Transcript;
