//! Makes pairs of connected sockets for an event loop.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use crate::CallError;

/// Makes a pair of connected sockets: bytes written to one can be read from the other.
///
/// Both are Unix stream sockets, non-blocking and close-on-exec. See `socketpair(2)`.
///
/// # Errors
///
/// Fails with `EMFILE` or `ENFILE` if no descriptor is left; the error names the call.
pub fn socketpair() -> io::Result<(OwnedFd, OwnedFd)> {
    let named = |reason| CallError::wrap("socketpair", reason);
    let (one, other) = UnixStream::pair().map_err(named)?;
    for end in [&one, &other] {
        end.set_nonblocking(true).map_err(|reason| CallError::wrap("ioctl FIONBIO", reason))?;
    }
    Ok((one.into(), other.into()))
}
