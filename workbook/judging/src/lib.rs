//! Judges a notebook's pages. This crate opens and builds a page, runs its scenes and trials in
//! separate processes, compares their reports with the keys and the reference, and finds the
//! exercise at fault.
//!
//! - [`workbook`], [`notebook`]: the workbook's directories, and the notebook with the reader's
//!   pages;
//! - [`step`]: a step's exercises, and the scenes and trials that judge them;
//! - [`cargo`], [`diagnostics`], `freshness`: building a page;
//! - [`run`]: running a scene or a trial in a separate process and reporting what went wrong;
//!   [`sandbox`]: running other people's pages in a sandbox;
//! - [`stages`]: judging a loop from scratch, one stage at a time;
//! - [`judge`], [`verdict`], [`keys`], `compare`, `kept`, `blame`: judging a page;
//! - [`machine`]: the capabilities that a machine needs for judging;
//! - [`progress`]: the workbook's own records, such as verdicts and the number of hints shown;
//! - [`terminal`]: output that fits the reader's terminal.
//!
//! The runner (`workbook/runner`), which handles a reader's commands, judges pages with this crate.
//! So do the authors' program and the teachers' program.

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
