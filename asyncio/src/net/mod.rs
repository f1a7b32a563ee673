//! Names and connections, servers, and datagrams.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `address.rs` | names, and how to get a connection |
//! | `server.rs` | a server, as the program that starts it sees it |
//! | `serving.rs` | how it accepts, and what it knows of its clients |
//! | `udp.rs` | datagrams |

mod address;
mod server;
mod serving;
mod udp;

pub(crate) use address::getaddrinfo;
pub use address::{Address, connect_tcp};
pub use server::{Server, ServerOptions};
pub(crate) use serving::{Client, Clients, Counted, OpenConnections, Serves};
pub use udp::UdpSocket;

use step06_tasks::{Error, ExceptionContext};

use crate::EventLoop;

/// Reports what has no caller to whom it could be returned.
pub(crate) fn report(event_loop: &EventLoop, message: &str, error: impl Into<Error>) {
    let context = ExceptionContext::new(message).with_exception(error.into());
    event_loop.call_exception_handler(&context);
}
