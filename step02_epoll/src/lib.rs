//! Step 02: epoll, whale one.
//!
//! A descriptor that would block is no reason to wait for that one: there may be thousands, and any
//! of them may be next. [`Epoll`] waits for all of them in one system call.
//!
//! - [`Interest`] and [`Trigger`]: what to wait for, and how often to hear of it;
//! - [`Epoll`]: the list of descriptors, kept in the kernel, and the one wait;
//! - [`Events`] and [`Event`]: what came;
//! - [`Poll`]: the same levers on the older poll(2), which has to be handed the list every time;
//! - [`Select`]: and on select(2), the oldest, which knows no number above 1023;
//! - [`Connection`] and [`EchoServer`]: the first loop.
//!
//! epoll knows descriptors and nothing else. It carries one number for you, the token, and gives it
//! back with each event; what the token means is the business of the layers above.

mod echo_server;
mod epoll;
mod event;
mod interest;
mod poll;
mod precise;
mod select;
mod timeout;

pub use echo_server::{Connection, EchoServer, Progress, serve};
pub use epoll::Epoll;
pub use event::{Event, Events};
pub use interest::{Interest, Trigger};
pub use poll::Poll;
pub use select::Select;
/// The number inside an error of this layer; see [`step01_fd::errno`].
pub use step01_fd::errno;
