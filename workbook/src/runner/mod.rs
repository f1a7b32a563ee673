//! The runner: everything around a scene but the playing of it.
//!
//! It opens and builds the reader's page, plays scenes in processes of their own, judges what they
//! say, and speaks with the reader. The workbook's own programs are built with it, the pages of the
//! notebook without (feature `runner`): a page plays its scenes and leaves the rest to the program of
//! its step, so that it is compiled in a moment.

mod answers;
mod arguments;
mod cargo;
mod command_line;
mod commands;
mod compare;
pub mod fault;
mod freshness;
mod gathered;
mod judge;
pub mod ledger;
mod lifeline;
mod look;
pub mod manifest;
pub mod notebook;
pub mod performance;
mod place;
mod proof;
mod report;
pub mod root;
mod soak;
mod source;
mod splitter;
mod streams;
mod system_calls;
pub mod terminal;
pub mod testing;
mod trial;
pub mod twins;
mod usage;
mod verdict;

pub use command_line::{complain, main, misused};
