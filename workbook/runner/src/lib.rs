//! The runner: the part of the workbook's programs that carries out a reader's commands.
//!
//! This crate reads a reader's commands and writes the answers, and `judging` does the work in
//! between. A step's own program links this crate. A notebook's page links the `scene` crate
//! instead, so that the page compiles quickly. For everything else, the page's program replaces
//! itself with its step's program.
//!
//! - `command_line`, `arguments`, `commands`, `answers`: the commands that a reader types;
//! - `whose`, `switch`, `run_mine`: whose code runs, the reader's or the reference's;
//! - `watch`: judges on every save; `last_run`: leaves a note while a page is being judged;
//! - `predict`: asks for a scene's transcript and keeps score;
//! - [`chapter`], [`reading`], [`paths`]: the book's sections about the steps and the library, and
//!   the length of the reader's path through them;
//! - [`class`]: the reports to the teacher's machine, for readers who've joined a class;
//! - `account`, `after_green`, `diff`: the report on a page. [`report`] formats it for the
//!   terminal, and [`events`], with [`part`] and [`json`], for other programs.
//!
//! The workbook's own program, `main.rs`, shows the map and lets the reader choose a path. Its
//! modules `map.rs` and `path.rs` aren't part of this library, so that a step's program can be
//! built without compiling them.

#![forbid(unsafe_code)]
// We build reports piece by piece, and each `write!` would return a result that we'd have to
// ignore.
#![allow(clippy::format_push_string)]

mod account;
mod after_green;
mod answers;
mod arguments;
pub mod chapter;
pub mod class;
mod command_line;
mod commands;
mod diff;
pub mod events;
pub mod json;
mod last_run;
pub mod part;
pub mod paths;
pub mod predict;
pub mod reading;
pub mod report;
mod run_mine;
mod switch;
mod watch;
mod whose;

/// Returns the snapshots of the step whose program invokes this macro, as the step's build script
/// found them.
#[macro_export]
macro_rules! keys {
    () => {
        include!(concat!(env!("OUT_DIR"), "/keys.rs"))
    };
}

pub use arguments::{COMMANDS, Usage};
pub use command_line::{main, misused, report_error};
pub use judging::Declared;
pub use run_mine::{on_your_layers, run_mine};
pub use switch::{use_mine, use_reference};
pub use whose::build_own;
