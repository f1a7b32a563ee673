//! Judges a notebook's pages. This crate opens and builds a page, runs its scenes and trials in
//! separate processes, compares their reports with the keys and the reference, and finds the
//! exercise at fault.
//!
//! - [`workbook`], [`notebook`]: the directories, and the reader's pages in them;
//! - [`step`]: the declarations in a step's program, with the exercises of its `exercises.toml`;
//! - [`cargo`], [`diagnostics`], `freshness`: building a page;
//! - [`run`]: running one scene in its process and reporting what went wrong; [`sandbox`]: running
//!   other people's pages in a sandbox;
//! - [`stages`]: judging a loop from scratch, one stage at a time;
//! - [`judge`], [`verdict`], [`keys`], `compare`, `kept`, `blame`: judging a page;
//! - [`machine`]: the capabilities that a machine needs for judging;
//! - [`progress`]: the records of judged pages;
//! - [`terminal`]: the capabilities of the reader's terminal.
//!
//! The runner (`workbook/runner`) handles a reader's commands. The authors' program and the
//! teachers' program judge pages with this crate, too.

#![forbid(unsafe_code)]
// We build reports piece by piece, and each `write!` would return a result that we'd have to
// ignore.
#![allow(clippy::format_push_string)]

mod blame;
pub mod cargo;
mod compare;
pub mod diagnostics;
mod freshness;
pub mod gone;
pub mod judge;
mod kept;
pub mod keys;
pub mod machine;
pub mod notebook;
pub mod progress;
pub mod promises;
pub mod run;
pub mod sandbox;
pub mod stages;
pub mod step;
pub mod terminal;
pub mod verdict;
pub mod workbook;

pub use step::{Declared, Step};
