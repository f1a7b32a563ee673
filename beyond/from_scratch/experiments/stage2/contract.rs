//! This stage has no new name: a waker's type is already `Send` and `Sync`, and now the waker has
//! to keep that promise.

#[expect(unused_imports, reason = "it only has to be there")]
use from_scratch::{block_on, spawn};
