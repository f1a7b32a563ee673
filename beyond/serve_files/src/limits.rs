//! The limits on a client's costs: bytes of a request and time.

use std::time::Duration;

/// The longest request line, its end included.
pub(crate) const REQUEST_LINE: usize = 8 * 1024;

/// The longest head: the request line, all header fields, and the empty line.
pub(crate) const HEAD: usize = 16 * 1024;

/// The largest number of header fields.
pub(crate) const FIELDS: usize = 64;

/// The time that a client may take for each of its parts, and the server for its end.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The time that a connection can wait for its next request before it's closed. Empty lines are
    /// no request.
    pub idle: Duration,
    /// The time that a request's head may take, from its first byte to its last. It's a limit for
    /// the whole head, since a client that sends one byte per second would pass any limit for a
    /// single read.
    pub head: Duration,
    /// The time that the client may take to make room for more of the answer. The kernel reports
    /// room when a third of its buffer is free (`sk_stream_is_writeable`), so a client that takes a
    /// byte at a time doesn't hold its connection for long.
    pub piece: Duration,
    /// The time that we still read after the last answer; see `linger` in `connection.rs`.
    pub linger: Duration,
    /// The time that answers may take after the server was asked to stop.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            idle: Duration::from_mins(1),
            head: Duration::from_secs(10),
            piece: Duration::from_secs(30),
            linger: Duration::from_secs(2),
            grace: Duration::from_secs(5),
        }
    }
}
