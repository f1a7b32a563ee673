//! The messages for authors and for other programs, on a small copy of the workbook with a notebook
//! of its own.
//!
//! Cargo compiles pages over and over here, so this isn't part of `cargo test --workspace`:
//!
//!     cargo test -p author --test notebooks

#[path = "../../../runner/tests/common/mod.rs"]
mod common;
#[path = "../../../runner/tests/common/copy.rs"]
mod copy;

mod check;
mod editors;
mod events;
mod schema;
mod stream;
mod watching;
