//! A reader's actions and the program's answers, on a small copy of the workbook with its own
//! notebook.
//!
//! These tests compile pages over and over, so they aren't part of `cargo test --workspace`:
//!
//!     cargo test -p runner --test reader

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/copy.rs"]
mod copy;
#[path = "../common/terminal.rs"]
mod terminal;
#[path = "../common/watcher.rs"]
mod watcher;

mod carried;
mod class;
mod command_line;
mod hidden;
mod hostile_page;
mod judging;
mod layers;
mod machine;
mod notebook;
mod paths;
mod predict;
mod streams;
mod watch;
mod whose;
