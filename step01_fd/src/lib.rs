//! Step 01: descriptors.

mod create;

pub use create::pipe;
