//! Sockets that can be awaited: listeners, streams and datagrams.
//!
//! They use the loop's selector below `add_reader` and `add_writer`: edge-triggered, registered once.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `registered.rs` | the core of them all: a registered socket, and calls that wait |
//! | `recv_send.rs` | the two calls that they make most often |
//! | `stream.rs`, `sending.rs`, `tcp.rs`, `unix.rs` | connections |
//! | `address.rs`, `connect.rs` | names, and how to get a connection |
//! | `listener.rs`, `accepting.rs`, `accept_failure.rs` | listeners |
//! | `server.rs`, `serving.rs`, `clients.rs`, `options.rs` | servers that listen by themselves |
//! | `open_connections.rs` | what a loop and a server know of their connections |
//! | `udp.rs` | datagrams |
//! | `socket_type.rs` | which sockets can't be taken over |
//! | `sock.rs` | `sock_recv` and its like, for sockets of your own |
//! | `streams/` | `open_connection` and `start_server`: streams with buffers |

mod accept_failure;
mod accepting;
mod address;
mod clients;
mod connect;
mod listener;
mod open_connections;
mod options;
mod recv_send;
mod registered;
mod sending;
mod server;
mod serving;
mod sock;
mod socket_type;
mod stream;
mod streams;
mod tcp;
mod udp;
mod unix;

pub(crate) use accepting::report;
pub use address::Address;
pub(crate) use clients::{Client, Clients, Counted, Serves};
pub(crate) use connect::connect_to;
pub use listener::TcpListener;
pub(crate) use open_connections::OpenConnections;
pub use options::ServerOptions;
pub(crate) use recv_send::{recv, send_or_keep};
pub use server::Server;
pub(crate) use socket_type::expect_stream;
pub use stream::Stream;
pub use streams::{
    IncompleteReadError, LimitOverrunError, StreamReader, StreamWriter, open_connection,
    open_connection_on, open_unix_connection, start_server, start_unix_server,
};
pub use tcp::TcpStream;
pub use udp::UdpSocket;
pub use unix::{UnixListener, UnixStream};
