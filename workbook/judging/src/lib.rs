//! Judges pages of the notebook. It opens and builds a page, runs its scenes and trials in
//! processes of their own, compares what they report with the keys and with the reference, and
//! finds the exercise at fault.
//!
//! - [`workbook`], [`notebook`]: the directories, and the reader's pages in them;
//! - [`step`]: what a step's program declares, with the exercises of its `exercises.toml`;
//! - [`cargo`], [`diagnostics`], `freshness`: building a page;
//! - [`run`]: runs one scene in its process and names what went wrong; a [`sandbox`] is for
//!   strangers' pages;
//! - [`stages`]: judging a loop from scratch, whose page is a file of the reader's own;
//! - [`judge`], [`verdict`], [`keys`], `compare`, `kept`, `blame`: judging a page;
//! - [`machine`]: the capabilities that a machine needs for all this;
//! - [`progress`]: the notes about pages that were judged;
//! - [`terminal`]: the abilities of the reader's terminal.
//!
//! A reader's commands and the answers to them belong to the runner (`workbook/runner`). The
//! authors' program and the teachers' program judge pages with this crate, too.

#![forbid(unsafe_code)]
// We build reports piece by piece, and with `write!` we'd have to ignore a result each time.
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
