//! Step 01: descriptors.
//!
//! A descriptor is a small integer that names an open object in the kernel. An event loop does all
//! its input and output through descriptors, and a read or a write must never put the loop to
//! sleep. So the pipes and sockets that this crate returns are non-blocking, and every outcome of a
//! read or a write has its own variant.
//!
//! - [`pipe`], [`pipe_with_capacity`], [`socketpair`], [`set_nonblocking`]: making descriptors;
//! - [`read`] and [`write()`]: bytes, "would block", "end", or an error;
//! - [`Outbox`]: the bytes that haven't been written yet;
//! - [`what_is`], [`open_descriptors`], [`parse`]: what a descriptor names;
//! - [`pidfd_open`], [`pidfd_send_signal`]: a descriptor that names a process;
//! - [`raise_descriptor_limit`]: room for many descriptors;
//! - [`check`], [`CallError`], [`errno`]: errors that name the call and its arguments.
//!
//! Descriptors are passed as `std::os::fd::OwnedFd`, which closes its descriptor on drop, and as
//! `BorrowedFd`, which keeps its descriptor from being closed while the borrow lasts. So safe code
//! can't use a closed descriptor, and a descriptor leaks only if its owner does (`mem::forget`).
//! Only [`open_descriptors`] returns raw numbers, for reports.

#![warn(clippy::missing_errors_doc, clippy::missing_panics_doc)]

mod create;
mod error;
mod io;
mod limit;
mod outbox;
mod pidfd;
mod proc_fd;
mod sockets;

pub use create::{pipe, pipe_with_capacity, set_nonblocking};
pub use error::{CallError, check, errno};
pub use io::{Read, Written, read, write};
pub use limit::raise_descriptor_limit;
pub use outbox::Outbox;
pub use pidfd::{pidfd_open, pidfd_send_signal};
pub use proc_fd::{Kind, open_descriptors, parse, what_is};
pub use sockets::socketpair;
