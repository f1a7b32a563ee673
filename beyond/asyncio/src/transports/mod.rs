//! Transports and protocols: a connection that calls you, as asyncio has it below its streams.
//!
//! A coroutine asks for bytes and waits. The loop calls a [`Protocol`] when bytes have arrived, so
//! a protocol needs no task: an idle connection consists of its socket, its protocol, and a
//! callback of the loop. Whatever the protocol has to say goes to its [`Transport`], which sends as
//! much as there's room for, keeps the rest, and tells the protocol when to pause.
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
