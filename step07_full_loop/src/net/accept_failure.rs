//! The errors of accept(2), by what a server does about them.

use std::io;

/// Why nothing was accepted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Nobody is waiting: the kernel will report the next connection.
    NothingThere,
    /// The connection was closed before it was accepted, or a signal came in between: try again.
    PeerLeft,
    /// Another connection can be accepted at once.
    OneConnection,
    /// No descriptor or no memory is left; the connection stays in the queue.
    OutOfResources,
    /// Each try will fail: this is no listener, or it was shut down.
    Lasting,
}

impl Failure {
    pub(crate) fn of(error: &io::Error) -> Failure {
        match error.raw_os_error() {
            Some(libc::EAGAIN) => Failure::NothingThere,
            Some(libc::ECONNABORTED | libc::EINTR) => Failure::PeerLeft,
            Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM) => {
                Failure::OutOfResources
            }
            // A firewall forbids this one. The others are errors of the network that were waiting for
            // the new socket: see accept(2), "Error handling".
            Some(
                libc::EPERM
                | libc::EPROTO
                | libc::ENOPROTOOPT
                | libc::EOPNOTSUPP
                | libc::EHOSTDOWN
                | libc::EHOSTUNREACH
                | libc::ENONET
                | libc::ENETDOWN
                | libc::ENETUNREACH
                | libc::ENOSR
                | libc::ESOCKTNOSUPPORT
                | libc::EPROTONOSUPPORT
                | libc::ETIMEDOUT,
            ) => Failure::OneConnection,
            _ => Failure::Lasting,
        }
    }
}
