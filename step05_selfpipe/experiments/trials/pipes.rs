//! Helpers that don't depend on the exercises: they empty a pair, fill it, and make its calls fail.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use kit::Refusal;
use step01_fd::{Read, Written, check, errno, read, write};

/// Reads all bytes and counts them.
pub(super) fn empty(fd: impl AsFd) -> io::Result<usize> {
    let mut total = 0;
    while let Read::Bytes(count) = read(&fd, &mut [0; 4096])? {
        total += count;
    }
    Ok(total)
}

/// Writes until there's no room and returns the number of written bytes.
pub(super) fn fill(fd: impl AsFd) -> io::Result<usize> {
    let mut total = 0;
    // A pair of sockets has room for more bytes in large pieces than in small ones.
    let bytes = vec![0; 65_536];
    for piece in [bytes.len(), 4096, 1] {
        while let Written::Bytes(count) = write(&fd, &bytes[..piece])? {
            total += count;
        }
    }
    Ok(total)
}

/// Says whether a loop that waits for the descriptor would wake up.
pub(super) fn readable(fd: impl AsFd) -> io::Result<&'static str> {
    let fd = fd.as_fd().as_raw_fd();
    let mut asked = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: the pointer is to one pollfd, and with a timeout of zero the kernel doesn't wait.
    let ready = unsafe { libc::poll(&raw mut asked, 1, 0) };
    let ready = check(ready, || format!("poll fd {fd}"))?;
    Ok(if ready == 0 { "not readable" } else { "readable" })
}

/// Runs `f` in a thread in which `read`, `readv` and `recvfrom` fail.
pub(super) fn without_reads<T: Send>(
    errno: i32,
    f: impl FnOnce() -> T + Send,
) -> anyhow::Result<T> {
    let refuse = |call| Refusal { call, argument: None, errno };
    // Each filter holds for the threads that start under it.
    refuse(libc::SYS_recvfrom)
        .during(|| refuse(libc::SYS_readv).during(|| refuse(libc::SYS_read).during(f)))??
}

/// Runs `f` in a thread in which `write` and `sendto` to a descriptor fail. Other writes succeed,
/// so that a panic in `f` can be reported.
pub(super) fn without_writes<T: Send>(
    fd: impl AsFd,
    errno: i32,
    f: impl FnOnce() -> T + Send,
) -> anyhow::Result<T> {
    let argument = Some((0, fd.as_fd().as_raw_fd().unsigned_abs()));
    let refuse = |call| Refusal { call, argument, errno };
    refuse(libc::SYS_sendto).during(|| refuse(libc::SYS_write).during(f))?
}

/// Formats a result, with the error's number in place of its text.
pub(super) fn outcome<T: std::fmt::Debug>(result: io::Result<T>) -> String {
    match result {
        Ok(value) => {
            let value = format!("{value:?}");
            if value == "()" { "done".to_owned() } else { value }
        }
        Err(error) => match errno(&error) {
            Some(libc::EMFILE) => "fails with EMFILE".to_owned(),
            Some(libc::EIO) => "fails with EIO".to_owned(),
            Some(libc::ENOMEM) => "fails with ENOMEM".to_owned(),
            Some(other) => format!("fails with error {other}"),
            None => format!("fails with an error of its own: {:?}", error.kind()),
        },
    }
}
