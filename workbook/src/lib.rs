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

#[cfg(not(target_os = "linux"))]
compile_error!(
    "This workbook is about Linux (epoll, eventfd, /proc), so it builds on Linux alone: \
     use a Linux machine or a virtual one, WSL 2 on Windows, or `docker run -it rust` on macOS."
);

mod command_line;
mod step;
pub mod testing;
mod transcript;

pub use command_line::main;
pub use step::{Exercise, Scene, Step};
pub use transcript::Transcript;
