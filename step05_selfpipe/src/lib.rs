//! Step 05: the self-pipe, whale three.
//!
//! A loop asleep in the kernel's wait hears descriptors and its timeout, and nothing else: no other
//! thread and no signal handler can tell it anything. So it watches a descriptor of its own, and
//! whoever has news for it writes a byte.
//!
//! - [`SelfPipe`] and [`LoopWaker`]: the two ends of an alarm; [`EventFd`]: the same on one counter;
//! - [`Inbox`] and [`Sender`]: values from other threads, with one byte for many of them;
//! - [`Signals`]: signals as data, read by the loop when it is awake;
//! - [`EchoServer`]: the loop so far, and [`ServerHandle`]: a handle on it.
//!
//! The byte means "look", no more. What there is to look at stands somewhere else (a queue, a
//! flag), and is put there before the byte is written.

mod echo_server;
mod event_fd;
mod inbox;
mod selfpipe;
mod signals;

pub use echo_server::{EchoServer, ServerHandle, serve};
pub use event_fd::EventFd;
pub use inbox::{Inbox, Sender};
pub use selfpipe::{LoopWaker, SelfPipe};
pub use signals::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, Signals, raise};
