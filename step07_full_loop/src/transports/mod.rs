//! Transports and protocols: a connection that calls you, as asyncio has it below its streams.
//!
//! A coroutine asks for bytes and waits. A [`Protocol`] is called when there are some, and so needs
//! no task: a connection that's idle is its socket, its protocol, and a callback of the loop. What
//! it has to say goes to its [`Transport`], which sends at once what there's room for, keeps the rest,
//! and tells the protocol when to pause.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `protocol.rs` | what is called, and when |
//! | `transport.rs` | a connection's state, and how it begins |
//! | `reading.rs`, `writing.rs`, `flow_control.rs` | bytes in, bytes out, and too many of them |
//! | `closing.rs` | how a connection ends |
//! | `calls.rs` | calling a protocol, which can fail or panic |
//! | `connecting.rs`, `server.rs`, `accepting.rs` | where connections come from |
//! | `open_transports.rs`, `socket.rs` | what the loop knows of them, and what they're made of |

mod accepting;
mod calls;
mod closing;
mod connecting;
mod flow_control;
mod open_transports;
mod protocol;
mod reading;
mod server;
mod socket;
mod transport;
mod writing;

pub use protocol::Protocol;
pub use server::ProtocolServer;
pub use socket::StreamSocket;
pub use transport::Transport;
