//! What scenes and tests share: ways to catch a thread at a known point, and to see what a process
//! does.
//!
//! - [`Sleeper`]: a thread that goes to sleep in a system call, and a signal that interrupts it;
//! - [`interruption`]: stopping a thread in the middle of a system call, at a [`Gate`];
//! - [`objects`]: kernel objects that std has no function for;
//! - [`proc`]: what `/proc` says about a process or thread;
//! - [`clients`]: clients for the echo servers of all steps;
//! - [`strace`]: the system calls that a scene makes.
//!
//! A page of the notebook links this crate, and step 01 does too, so it can use no step: it makes
//! its own pipes.

mod check;
pub mod clients;
pub mod interruption;
pub mod objects;
pub mod proc;
mod sleeper;
pub mod strace;

pub use interruption::Gate;
pub use sleeper::{Sleeper, count_signals};
