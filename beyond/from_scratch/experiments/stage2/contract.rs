//! This stage has no new name: a waker is `Send` and `Sync` by its type and now has to keep that
//! promise.

#[expect(unused_imports, reason = "it only has to be there")]
use from_scratch::{block_on, spawn};
