//! This stage has no new name. It's about the ends of tasks and loops.

#[expect(unused_imports, reason = "they only have to be there")]
use from_scratch::{JoinHandle, block_on, readable, sleep, spawn, writable};
