//! This stage has no new name. It's about how tasks and loops end.

#[expect(unused_imports, reason = "they only have to be there")]
use from_scratch::{JoinHandle, block_on, readable, sleep, spawn, writable};
