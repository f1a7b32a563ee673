//! Step 03: the selector.
//!
//! epoll takes a number and gives a number back. A loop wants to say "when this socket is readable,
//! run that", and does not care which of the kernel's waits is behind it. A selector keeps the map
//! from a descriptor to the data of whoever waits, and offers one `select()`.
//!
//! - [`Selector`]: register, modify, unregister, `get_key`, select, as in CPython's `selectors`;
//! - [`SelectorKey`] and [`ReadyEvent`]: what was registered, and what came;
//! - [`Registry`]: the map from a descriptor to its key, which all backends keep;
//! - [`Table`]: values by index, under tokens that are never reused; step 06 keeps its tasks in one;
//! - [`EpollSelector`], [`PollSelector`] and [`SelectSelector`]: three backends that tell the same
//!   story;
//! - [`EchoServer`]: the loop so far.

#![forbid(unsafe_code)]

mod echo_server;
mod epoll_selector;
mod poll_selector;
mod registry;
mod select_selector;
mod selector;
mod table;

pub use echo_server::{EchoServer, serve};
pub use epoll_selector::{DefaultSelector, EpollSelector};
pub use poll_selector::PollSelector;
pub use registry::Registry;
pub use select_selector::SelectSelector;
pub use selector::{ReadyEvent, Selector, SelectorKey};
pub use step02_epoll::{Interest, Trigger, errno};
pub use table::Table;
