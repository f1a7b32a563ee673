//! Streams with buffers: `open_connection`, `start_server`, and the reader and the writer that both
//! hand out; asyncio's `streams.py`.
//!
//! A reader and a writer share one connection. An idle one owns no buffer: all reads of a loop go
//! through one scratch buffer, and what isn't asked for yet is kept only until it is.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `connection.rs` | what a reader and a writer share, and how it ends |
//! | `writing.rs`, `waiting.rs` | what's unsent: when it's sent, and who waits for it |
//! | `buffer.rs`, `receiving.rs` | received bytes that aren't asked for yet |
//! | `reader.rs`, `separated.rs` | the reader: the ways to take them |
//! | `writer.rs` | the writer |
//! | `open.rs` | a client's connection |
//! | `start.rs` | streams for the clients of a server |
//! | `errors.rs` | ends and lines that come too early or too late |

mod buffer;
mod connection;
mod errors;
mod open;
mod reader;
mod receiving;
mod separated;
mod start;
mod waiting;
mod writer;
mod writing;

pub use errors::{IncompleteReadError, LimitOverrunError};
pub use open::{open_connection, open_connection_on, open_unix_connection};
pub use reader::StreamReader;
pub use start::{start_server, start_unix_server};
pub use writer::StreamWriter;

/// How many bytes a line can have, unless the caller says otherwise; asyncio's `_DEFAULT_LIMIT`.
pub(super) const DEFAULT_LIMIT: usize = 64 * 1024;
