//! The runner: everything around a scene except running it.
//!
//! It opens and builds the reader's page, plays scenes in processes of their own, judges what they
//! say, and reports to the reader. A step's own program links it. A page of the notebook links the
//! `scene` crate alone and hands everything else to its step's program, so that it compiles in a
//! moment.

#![forbid(unsafe_code)]
// Reports are put together piece by piece; `write!` would hide that behind results to ignore.
#![allow(clippy::format_push_string)]

mod answers;
mod arguments;
pub mod author;
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
pub use scene::Step;
