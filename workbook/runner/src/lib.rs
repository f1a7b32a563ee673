//! The runner: everything around a scene except running it.
//!
//! It opens and builds the reader's page, runs scenes in processes of their own, judges what they
//! report, and tells the reader what to do next. A step's own program links it. A page of the
//! notebook links the `scene` crate alone and starts its step's program for everything else, so that
//! it compiles in a moment.
//!
//! - `command_line`, `arguments`, `commands`, `answers`: what a reader types, and what it does;
//! - [`workbook`], [`notebook`]: the directories, and the reader's pages in them;
//! - `cargo`, `judge`, `verdict`: building a page, and judging it;
//! - [`run`]: one scene in its process, and every way in which that can go wrong;
//! - `report`, `diff`, [`terminal`], [`progress`]: what the reader sees, and what is remembered;
//! - `author`: what only the workbook's authors run.

#![forbid(unsafe_code)]
// Reports are built piece by piece; with `write!` there would be results to ignore everywhere.
#![allow(clippy::format_push_string)]

mod answers;
mod arguments;
mod author;
mod cargo;
mod command_line;
mod commands;
mod diff;
mod judge;
pub mod notebook;
pub mod progress;
mod report;
pub mod run;
pub mod terminal;
mod verdict;
pub mod workbook;

pub use author::reuse::check_reuse;
pub use author::scene_tests::{SceneTest, scene_tests};
pub use author::twins;
pub use command_line::{main, misused, report_error};
pub use notebook::upgrade::upgrade;
pub use scene::Step;
