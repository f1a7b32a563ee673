//! Sockets that can be awaited: listeners and streams.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `recv_send.rs` | the two calls that they make most often |
//! | `stream.rs` | a connection of any family |
//! | `tcp.rs`, `unix.rs` | what the two families have of their own |
//! | `listener.rs` | accepting |

mod listener;
mod recv_send;
mod stream;
mod tcp;
mod unix;

pub use listener::{AcceptFailure, TcpListener};
pub use recv_send::{expect_datagrams, expect_stream, recv, send, send_or_keep};
pub use stream::Stream;
pub use tcp::TcpStream;
pub use unix::{UnixListener, UnixStream};
