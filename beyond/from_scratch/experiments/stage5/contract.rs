//! This stage has no new name. It's about how tasks and loops end.

#[expect(unused_imports, reason = "the import only checks that the names exist")]
use from_scratch::{JoinHandle, block_on, readable, sleep, spawn, writable};
