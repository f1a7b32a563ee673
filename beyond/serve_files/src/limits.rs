//! Limits on what a client can cost: on the bytes of a request's head and on the time that the
//! server waits for the client.

use std::time::Duration;

/// The maximum length of a request line, in bytes, including its line end.
pub(crate) const REQUEST_LINE: usize = 8 * 1024;

/// The maximum length of a head, in bytes: the request line, all header fields, and the empty line.
pub(crate) const HEAD: usize = 16 * 1024;

/// The maximum number of header fields.
pub(crate) const FIELDS: usize = 64;

/// The time limits for a client's actions, and for the server's shutdown.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The time that a connection may wait for its next request before it's closed. Empty lines
    /// don't count as a request.
    pub idle: Duration,
    /// The time that a request's head may take, from its first byte to its last. The limit covers
    /// the whole head, since a client that sends one byte per second would never reach a limit on a
    /// single read.
    pub head: Duration,
    /// The time that the client may take to make room for more of the answer. The kernel reports
    /// room only when a third of the socket's send buffer is free (`sk_stream_is_writeable`), so a
    /// client can't hold its connection by taking one byte per second.
    pub piece: Duration,
    /// The time for which we continue to read after the last answer; see `linger` in
    /// `connection.rs`.
    pub linger: Duration,
    /// The time that answers may take once the server has been asked to stop.
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
