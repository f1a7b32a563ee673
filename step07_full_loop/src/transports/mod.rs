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
//! | `connecting.rs`, `serving.rs` | where connections come from |
//! | `socket.rs` | what they're made of |

mod calls;
mod closing;
mod connecting;
mod flow_control;
mod protocol;
mod reading;
mod serving;
mod socket;
mod transport;
mod writing;

pub use protocol::Protocol;
pub use socket::StreamSocket;
pub use transport::Transport;
