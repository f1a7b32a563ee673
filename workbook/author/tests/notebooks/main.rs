//! The messages for authors and for other programs, tested on a small copy of the workbook with its
//! own notebook.
//!
//! These tests compile pages over and over, so they aren't part of `cargo test --workspace`:
//!
//!     cargo test -p author --test notebooks

#[path = "../../../runner/tests/common/mod.rs"]
mod common;
#[path = "../../../runner/tests/common/copy.rs"]
mod copy;

mod check;
mod editors;
mod events;
mod stream;
mod watching;
