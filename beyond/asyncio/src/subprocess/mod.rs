//! Starts other programs, writes to them, reads from them and waits for them.
//!
//! The end of a process is an event like any other, since Linux can name a process by a descriptor
//! (step 01's [`pidfd_open`](step01_fd::pidfd_open)). So this module needs neither a signal handler
//! nor a thread, and the loop leaves alone any program that other code in this process has started.
//! asyncio's `PidfdChildWatcher`, its default since 3.12, does the same.
//!
//! | file | contents |
//! | --- | --- |
//! | `process.rs` | how a process starts, and how the loop watches it until its status is fetched |
//! | `pipes.rs` | a process's output and input, in pieces or all at once |

mod pipes;
mod process;

pub use pipes::{PipeReader, PipeWriter};
pub use process::{Process, create_subprocess};
