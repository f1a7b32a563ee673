//! Addresses, connections, servers and datagrams.
//!
//! | file | contents |
//! | --- | --- |
//! | `address.rs` | addresses, name lookups, and connecting |
//! | `server.rs` | a server's options and the handle to a server |
//! | `serving.rs` | how a server accepts connections |
//! | `clients.rs` | the connections of a server, and all open connections of a loop |
//! | `connection.rs` | the common part of streams and transports: sending and closing |
//! | `udp.rs` | datagrams |
//! | `report.rs` | reports on errors that can't be returned to a caller |

mod address;
mod clients;
mod connection;
mod report;
mod server;
mod serving;
mod udp;

pub use address::{Address, connect_tcp};
pub(crate) use address::{getaddrinfo, local_addr, peer_addr};
pub(crate) use clients::Counted;
pub(crate) use connection::{Connection, HIGH_WATER, UpperLayer};
pub(crate) use report::report;
pub use server::{Server, ServerOptions};
pub(crate) use serving::Serves;
pub use udp::UdpSocket;
