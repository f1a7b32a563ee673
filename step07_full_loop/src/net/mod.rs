//! Sockets that can be awaited: a listener, and the streams that it accepts.
//!
//! They use the loop's selector below `add_reader` and `add_writer`: edge-triggered, registered once.

mod accept_failure;
mod listener;
mod sending;
mod stream;

pub(crate) use accept_failure::Failure as AcceptFailure;
pub use listener::TcpListener;
pub use stream::TcpStream;
