//! The flags of a descriptor and of its open file description, in words.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::check::check;

/// Returns the access mode and, of the flags that `fcntl(2)` can change, those that are set, such
/// as `read-only, non-blocking, close-on-exec`.
pub fn flags(fd: impl AsFd) -> io::Result<String> {
    let fd = fd.as_fd().as_raw_fd();
    // SAFETY: F_GETFL takes no argument and touches no memory of ours.
    let object = check(unsafe { libc::fcntl(fd, libc::F_GETFL) }, "fcntl F_GETFL")?;
    // SAFETY: F_GETFD takes no argument and touches no memory of ours.
    let descriptor = check(unsafe { libc::fcntl(fd, libc::F_GETFD) }, "fcntl F_GETFD")?;
    let mode = match object & libc::O_ACCMODE {
        libc::O_RDONLY => "read-only",
        libc::O_WRONLY => "write-only",
        _ => "read-write",
    };
    let names = [
        (object & libc::O_NONBLOCK, "non-blocking"),
        (object & libc::O_APPEND, "append"),
        (object & libc::O_ASYNC, "async"),
        (object & libc::O_NOATIME, "no-atime"),
        (object & libc::O_DIRECT, "direct"),
        (descriptor & libc::FD_CLOEXEC, "close-on-exec"),
    ];
    let set = names.iter().filter(|(bit, _)| *bit != 0).map(|(_, name)| *name);
    Ok([mode].into_iter().chain(set).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn flags_are_named() {
        let file = File::options().append(true).open("/dev/null").unwrap();
        assert_eq!(flags(&file).unwrap(), "write-only, append, close-on-exec");
        let (reader, _writer) = io::pipe().unwrap();
        assert_eq!(flags(&reader).unwrap(), "read-only, close-on-exec");
    }
}
