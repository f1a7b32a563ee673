//! Step 02: epoll.
//!
//! This step adds the wait. A loop that slept until one particular descriptor was ready would
//! neglect all other descriptors, perhaps thousands. [`Epoll`] waits for all descriptors in one
//! system call.
//!
//! - [`Interest`] and [`Trigger`]: the directions to wait for, and how often to report a ready
//!   descriptor;
//! - [`milliseconds`]: a timeout in the kernel's unit;
//! - [`Epoll`]: the descriptors to wait for, listed in the kernel, and one wait for all of them;
//! - [`Events`] and [`Event`]: the outcome of a wait;
//! - [`Poll`]: `Epoll`'s operations on the older poll(2), which needs the whole list every time;
//! - [`Select`]: `Epoll`'s operations on select(2), whose `fd_set` ends at descriptor 1,023;
//! - [`EchoServer`]: the first loop, with its parts [`Acceptor`] and [`Connection`];
//! - [`connect`], [`Connecting`] and [`Connected`]: a connection to another program, for any loop.
//!
//! epoll handles only descriptors. For each registration it keeps an integer of yours, the token,
//! and returns the token with each event. The layers built on epoll give the token its meaning.

#![warn(clippy::missing_errors_doc, clippy::missing_panics_doc)]

mod connecting;
mod echo_server;
mod epoll;
mod event;
mod interest;
mod poll;
mod select;
mod timeout;

pub use connecting::{Connected, Connecting, connect};
pub use echo_server::{Accepted, Acceptor, Connection, EchoServer, Progress, serve};
pub use epoll::Epoll;
pub use event::{Event, Events};
pub use interest::{Interest, Trigger};
pub use poll::Poll;
pub use select::Select;
/// Finds the error number in an error of this layer; see [`step01_fd::errno`].
pub use step01_fd::errno;
pub use timeout::milliseconds;
