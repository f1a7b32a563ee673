//! Streams with buffers: `open_connection`, `start_server`, and the reader and the writer that both
//! hand out; asyncio's `streams.py`.
//!
//! A reader and a writer share one connection, of the kind that transports have. An idle connection
//! owns no buffer: all reads of a loop go through one scratch buffer, and the reader keeps only
//! what has arrived and no task has asked for yet.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `open.rs` | where streams come from: a client, or a server |
//! | `stream_connection.rs` | what a reader and a writer share, the task that sends, and the tasks that wait |
//! | `receiving.rs` | received bytes that aren't asked for yet |
//! | `reader.rs` | the reader: the ways to take them |
//! | `writer.rs` | the writer, and its `drain` |

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

/// How many bytes a line can have, unless the caller says otherwise; asyncio's `_DEFAULT_LIMIT`.
pub(crate) const DEFAULT_LIMIT: usize = 64 * 1024;
