//! Transports and protocols: connections that call the program. asyncio's streams are built on
//! them.
//!
//! A coroutine asks for bytes and waits, whereas a [`Protocol`] is called when bytes have arrived.
//! So a protocol needs no task: an idle connection consists of its socket, its protocol, and a
//! callback in the loop. The protocol writes to its [`Transport`], which sends as much as there's
//! room for, keeps the rest, and tells the protocol when to pause.
//!
//! | file | contents |
//! | --- | --- |
//! | `protocol.rs` | the methods that a connection calls; the sockets of connections |
//! | `transport.rs` | the connection that calls a protocol: how it begins and reads, and its methods |
//! | `connecting.rs` | the functions that create transports |

mod connecting;
mod protocol;
mod transport;

pub use protocol::{Protocol, StreamSocket};
pub use transport::Transport;
