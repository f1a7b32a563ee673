//! This stage has no name of its own. It's about how things end.

#[expect(unused_imports, reason = "they only have to be there")]
use from_scratch::{JoinHandle, block_on, readable, sleep, spawn, writable};
