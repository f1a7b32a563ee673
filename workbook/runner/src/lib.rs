//! The runner: everything in the program that the reader starts, except the scenes themselves.
//!
//! It opens and builds the reader's page, runs scenes in processes of their own, judges what they
//! report, and tells the reader what to do next. A step's own program links it. A page of the
//! notebook links the `scene` crate instead, and starts its step's program for everything else, so
//! that it compiles in a moment.
//!
//! - `command_line`, `arguments`, `commands`, `answers`: the commands that a reader types;
//! - [`workbook`], [`notebook`]: the directories, and the reader's pages in them;
//! - `whose`, `switch`, `run_mine`: whose code runs, the reader's or the reference;
//! - `cargo`, `diagnostics`: building a page;
//! - `judge`, `verdict`, `keys`, `compare`, `kept`, `blame`, `last_run`: judging it;
//! - [`run`]: runs one scene in its process, and names what went wrong;
//! - `watch`: judges on every save;
//! - `predict`: asks for a scene's transcript, and keeps score;
//! - `step`: what a step's program declares, with the exercises of its `exercises.toml`;
//! - [`chapter`], [`reading`]: what the book says about the steps and the library, and what of it the reader's
//!   path reads;
//! - [`class`]: what the teacher's machine is told, for those who've joined a class;
//! - `account`, `after_green`, `diff`: what there is to say about a page, which has two faces: `report` for
//!   the terminal, and [`events`] for other programs, with [`part`] and [`json`];
//! - [`terminal`], [`progress`]: what a terminal can show, and the notes about progress.
//!
//! The workbook's own program, `main.rs`, shows the map and puts the reader on a path: `map.rs` and
//! `path/` aren't part of this library, so that no step's program has to wait for them.
//!
//! Two other programs judge pages with what's public here: the authors' (`workbook/author`), and the
//! teachers' (`workbook/grader`).

#![forbid(unsafe_code)]
// Reports are built piece by piece, and with `write!` we'd have to ignore a result each time.
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
pub mod predict;
pub mod reading;
pub mod report;
mod run_mine;
mod switch;
mod watch;
mod whose;

/// Returns the snapshots of the step whose program this is in, from its build script.
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
