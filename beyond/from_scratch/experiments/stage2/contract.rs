//! This stage has no new name: a waker's type is already `Send` and `Sync`, and now the waker has
//! to keep that promise.

#[expect(unused_imports, reason = "the import only checks that the names exist")]
use from_scratch::{block_on, spawn};
