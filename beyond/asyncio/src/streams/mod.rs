//! Streams with buffers: `open_connection`, `start_server`, and the reader and the writer for each
//! connection; asyncio's `streams.py`.
//!
//! A reader and a writer share one connection, which has the same lower layer as a transport's
//! connection. An idle connection owns no buffer: all connections of a loop receive into one
//! scratch buffer, and a reader keeps only the received bytes that no task has asked for yet.
//!
//! | file | contents |
//! | --- | --- |
//! | `open.rs` | the functions that create streams, for a client or a server |
//! | `stream_connection.rs` | the common part of a reader and a writer, the task that sends, and the tasks that wait |
//! | `receiving.rs` | received bytes that no task has asked for yet |
//! | `reader.rs` | the reader: the ways to read received bytes |
//! | `writer.rs` | the writer and its `drain` |

mod open;
mod reader;
mod receiving;
mod stream_connection;
mod writer;

pub use open::{
    open_connection, open_connection_on, open_unix_connection, start_server, start_unix_server,
};
pub use reader::{IncompleteReadError, LimitOverrunError, StreamReader};
pub use writer::StreamWriter;

/// The default limit of a reader, in bytes; asyncio's `_DEFAULT_LIMIT`.
pub(crate) const DEFAULT_LIMIT: usize = 64 * 1024;
