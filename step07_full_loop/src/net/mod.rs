//! Sockets that can be awaited: listeners, streams and datagrams.
//!
//! They use the loop's selector below `add_reader` and `add_writer`: edge-triggered, registered once.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `registered.rs` | the core of them all: a registered socket, and calls that wait |
//! | `stream.rs`, `sending.rs`, `tcp.rs`, `unix.rs` | connections |
//! | `address.rs`, `connect.rs` | names, and how to get a connection |
//! | `listener.rs`, `accepting.rs`, `accept_failure.rs` | listeners |
//! | `udp.rs` | datagrams |
//! | `sock.rs` | `sock_recv` and its like, for sockets of your own |
//! | `streams/` | `open_connection` and `start_server`: streams with buffers |

mod accept_failure;
mod accepting;
mod address;
mod connect;
mod listener;
mod registered;
mod sending;
mod sock;
mod stream;
mod streams;
mod tcp;
mod udp;
mod unix;

pub(crate) use accept_failure::Failure as AcceptFailure;
pub use address::Address;
pub use listener::TcpListener;
pub use stream::Stream;
pub use streams::{
    IncompleteReadError, LimitOverrunError, Server, ServerOptions, StreamReader, StreamWriter,
    open_connection, open_connection_on, open_unix_connection, start_server, start_unix_server,
};
pub use tcp::TcpStream;
pub use udp::UdpSocket;
pub use unix::{UnixListener, UnixStream};
