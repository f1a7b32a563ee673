//! Step 05: the self-pipe.
//!
//! A loop that's asleep in the kernel wakes up for its descriptors and its timeout, but not when
//! another thread queues a value. A signal does interrupt the wait, but not if it's handled just
//! before the wait begins. So this step gives the loop a descriptor of its own to wait for. A
//! thread or a signal handler that wants the loop's attention writes a byte, which makes this
//! descriptor readable.
//!
//! - [`SelfPipe`] and [`LoopWaker`]: the two ends of the pipe; [`EventFd`]: a counter that can
//!   replace the pipe;
//! - [`Inbox`] and [`Sender`]: values from other threads, with one byte for many values;
//! - [`Signals`]: signals as data, which the loop reads when it's awake;
//! - [`EchoServer`]: the echo server with the loop so far; [`ServerHandle`]: a handle through which
//!   other threads reach the server.
//!
//! The byte only means "look". The data itself is kept elsewhere (in a queue or a flag) and is
//! stored before the byte is written.

#![warn(clippy::missing_errors_doc, clippy::missing_panics_doc)]

mod echo_server;
mod event_fd;
mod inbox;
mod selfpipe;
mod signals;

pub use echo_server::{EchoServer, ServerHandle, serve};
pub use event_fd::EventFd;
pub use inbox::{Inbox, Sender};
pub use selfpipe::{LoopWaker, SelfPipe};
pub use signals::{
    SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, Signals, has_default_action, raise,
    signal_is_pending,
};
