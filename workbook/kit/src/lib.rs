//! Tools that scenes and tests share: they stop a thread at a known point, or observe what a
//! process does.
//!
//! - [`Sleeper`]: a thread that goes to sleep in a system call, and a signal that interrupts it;
//! - [`interruption`]: stops a thread in the middle of a system call, at a [`Gate`];
//! - [`Refusal`]: makes the kernel refuse a system call, with an error of our choice;
//! - [`cost`]: the calls, sleeps, CPU time and memory that a piece of code needs;
//! - [`objects`]: kernel objects that std has no function for;
//! - [`proc`]: the state of a process or thread, from `/proc`;
//! - [`clients`]: clients for the echo servers of steps 02 to 07;
//! - [`strace`]: the system calls that a scene makes;
//! - [`limit_time`]: ends tests that never end.
//!
//! Step 01 and the pages of the notebook link this crate, so it can't depend on any step, and makes
//! its own pipes.

mod check;
pub mod clients;
pub mod cost;
pub mod interruption;
pub mod objects;
pub mod proc;
mod refusal;
mod sleeper;
pub mod strace;
mod time_limit;

pub use interruption::Gate;
pub use refusal::Refusal;
pub use sleeper::{Sleeper, count_signals};
pub use time_limit::limit_time;
