//! Step 05: the self-pipe, whale three.
//!
//! A loop asleep in the kernel's wait hears descriptors and its timeout, and nothing else: no other
//! thread and no signal handler can tell it anything. So it watches a descriptor of its own, and
//! whoever has news for it writes a byte.
//!
//! - [`SelfPipe`] and [`Waker`]: the two ends;
//! - [`Signals`]: signals as data, read by the loop when it is awake;
//! - [`EchoServer`]: the loop so far.
//!
//! The byte means "look", no more. What there is to look at stands somewhere else (a queue, a
//! flag), and is put there before the byte is written.

mod echo_server;
mod farewell;
mod selfpipe;
mod signals;
mod stopper;

pub use echo_server::{EchoServer, serve};
pub use selfpipe::{SelfPipe, Waker};
pub use signals::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, Signals, raise};
pub use stopper::Stopper;
