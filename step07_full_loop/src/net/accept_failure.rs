//! The errors of accept(2), by what a server does about them.

use std::io;

/// Why nothing was accepted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Nobody is waiting: the kernel will report the next connection.
    NothingThere,
    /// The connection was closed before it was accepted, or a signal came in between. The next try,
    /// now or in the next tick, can succeed.
    PeerLeft,
    /// This connection is lost. The next try, now or in the next tick, can succeed.
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
            Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM | libc::ENOSPC) => {
                Failure::OutOfResources
            }
            Some(libc::EBADF | libc::EFAULT | libc::EINVAL | libc::ENOTSOCK) => Failure::Lasting,
            // A firewall forbids this one, or it's an error of the network that was waiting for the new
            // socket: see accept(2), "Error handling". There's no full list of those, so an error that
            // isn't known is taken for one, as in asyncio.
            _ => Failure::OneConnection,
        }
    }
}
