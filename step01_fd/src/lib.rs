//! Step 01: descriptors.
//!
//! A descriptor is a small number that names an open object of the kernel. An event loop handles
//! nothing else: it reads, writes, waits, and must never be put to sleep by a read or a write.
//! So everything made here is non-blocking from the start, and every answer is told apart:
//!
//! - [`pipe`], [`pipe_with_capacity`], [`socketpair`], [`set_nonblocking`]: making descriptors;
//! - [`read`] and [`write()`]: bytes, "would block", "end", or an error;
//! - [`Outbox`]: the bytes for which there was no room yet;
//! - [`what_is`] and [`open_descriptors`]: what a number names;
//! - [`raise_descriptor_limit`]: room for many of them;
//! - [`check`], [`CallError`], [`errno`]: errors that say which call failed, and on what.
//!
//! Numbers travel as `std::os::fd::OwnedFd` (whoever holds it closes it) and `BorrowedFd` (open for
//! as long as the loan lasts), so a number can neither leak nor be used after it was closed.

mod create;
mod error;
mod io;
mod limit;
mod outbox;
mod proc_fd;

pub use create::{pipe, pipe_with_capacity, set_nonblocking, socketpair};
pub use error::{CallError, check, errno};
pub use io::{Read, Written, read, write};
pub use limit::raise_descriptor_limit;
pub use outbox::Outbox;
pub use proc_fd::{Kind, open_descriptors, what_is};
