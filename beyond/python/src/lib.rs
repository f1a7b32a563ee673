//! Builds the workbook's Python module for the Python that will load it.
//!
//! - [`Python`]: the interpreter, and its answers about itself;
//! - [`Extension`]: the library with the loop, which cargo builds in a separate workspace.
//!
//! The library is written with pyo3 and built on the steps' layers, ours or the reader's. The
//! module's other half is in `beyond/python/package`. A copy of both halves is kept for each Python
//! and for each state of the sources, so a running program never sees either half change.

#![forbid(unsafe_code)]

mod extension;
mod interpreter;

pub use extension::{Extension, FEATURES, MANIFEST, TARGET};
pub use interpreter::Python;
