//! This stage has no name of its own: a waker is `Send` and `Sync` by its type and now has to mean
//! it.

#[expect(unused_imports, reason = "it only has to be there")]
use from_scratch::{block_on, spawn};
