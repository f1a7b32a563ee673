//! Builds the workbook's Python module for the Python that will load it.
//!
//! - [`Python`]: an interpreter, as it describes itself;
//! - [`Extension`]: the loop's library, which cargo builds in a separate workspace.
//!
//! The library is written with pyo3 and built on the steps' layers, either ours or the reader's.
//! The module's other half is in `beyond/python/package`. We keep a copy of both halves for each
//! Python and for each state of the sources, so neither half changes under a running program.

#![forbid(unsafe_code)]

mod extension;
mod interpreter;

pub use extension::{Extension, FEATURES, MANIFEST, TARGET};
pub use interpreter::Python;
