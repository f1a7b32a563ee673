//! Step 03: the selector.
//!
//! epoll takes an integer and returns it with each event. A loop wants to say "when this socket is
//! readable, run this callback", whichever of the kernel's waits does the work. This step adds the
//! selector, which keeps the caller's data for each descriptor and whose `select()` returns the
//! data of the ready descriptors.
//!
//! - [`Selector`]: register, modify, unregister, `get_key`, select, as in CPython's `selectors`;
//! - [`SelectorKey`] and [`ReadyEvent`]: a registration, and a descriptor that's ready;
//! - [`Registry`]: the map from descriptors to keys, which all selectors keep;
//! - [`Table`]: values by index, each under its own token; step 06 keeps its tasks in a table;
//! - [`EpollSelector`], [`PollSelector`] and [`SelectSelector`]: three selectors with the same
//!   interface, which differ in what their system calls can do;
//! - [`EchoServer`]: the loop so far.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc, clippy::missing_panics_doc)]

mod echo_server;
mod epoll_selector;
mod poll_like;
mod registry;
mod selector;
mod table;

pub use echo_server::{EchoServer, serve};
pub use epoll_selector::{DefaultSelector, EpollSelector};
pub use poll_like::{PollLikeSelector, PollSelector, SelectSelector, WaitList};
pub use registry::Registry;
pub use selector::{ReadyEvent, Selector, SelectorKey};
pub use step02_epoll::{Interest, Trigger, errno};
pub use table::Table;
