//! Transports and protocols: a connection that calls you, as asyncio has it below its streams.
//!
//! A coroutine asks for bytes and waits. A [`Protocol`] is called when there are some, and so needs
//! no task: a connection that's idle is its socket, its protocol, and a callback of the loop. What
//! it has to say goes to its [`Transport`], which sends at once what there's room for, keeps the rest,
//! and tells the protocol when to pause.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `protocol.rs` | what is called, and when; what a connection is made of |
//! | `transport.rs` | a connection that calls its protocol: how it begins and reads, and what it says |
//! | `connecting.rs` | where connections come from |

mod connecting;
mod protocol;
mod transport;

pub use protocol::{Protocol, StreamSocket};
pub use transport::Transport;
