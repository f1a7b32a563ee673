//! An open file that's read or sent in pieces, nearly always without blocking the loop.
//!
//! A disk never reports that it isn't ready: epoll rejects regular files, and a read sleeps until
//! the bytes have arrived. But recently read files are usually in the kernel's page cache, where
//! preadv2(2) with `RWF_NOWAIT` can read them. Only if it can't, usually because the bytes aren't
//! there (EAGAIN), do we read on a thread. We measured the difference with cached files: if a
//! thread always did the reading, a file of 1 KiB would cost the loop's thread more than twice the
//! processor time, and a file of 5 MiB would take twice as long.

use std::io::{self, ErrorKind, IoSliceMut};
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use asyncio::{Result, get_running_loop};
use rustix::fs::{Stat, sendfile};
use rustix::io::{Errno, ReadWriteFlags, pread, preadv2, retry_on_intr};
use step01_fd::{CallError, Written};

use crate::conditions::{Validators, in_seconds};

/// An open regular file, with the size and the validators that it had when it was opened.
#[derive(Debug)]
pub(crate) struct File {
    /// The descriptor, shared with any thread that reads from it.
    fd: Arc<OwnedFd>,
    pub(crate) size: u64,
    pub(crate) validators: Validators,
}

impl File {
    pub(crate) fn new(fd: Arc<OwnedFd>, status: &Stat) -> Self {
        let size = u64::try_from(status.st_size).unwrap_or_default();
        let seconds = u64::try_from(status.st_mtime).ok();
        let modified = seconds.and_then(|it| UNIX_EPOCH.checked_add(Duration::from_secs(it)));
        // No program can set the time of the last status change, but the time of the last
        // modification can be set: tools for reproducible builds give all files the same time.
        let (inode, changed) = (status.st_ino, (status.st_ctime, status.st_ctime_nsec));
        let etag = format!("\"{inode:x}-{size:x}-{:x}.{:x}\"", changed.0, changed.1);
        let validators = Validators { etag, last_modified: modified.and_then(in_seconds) };
        File { fd, size, validators }
    }

    /// Reads the bytes at `offset` that are in memory and returns their number. Returns `None` if
    /// it gets none: the bytes have to come from a disk or another machine, the file system can't
    /// tell whether they're in memory, or the file has ended.
    pub(crate) fn read_cached(&self, buffer: &mut [u8], offset: u64) -> io::Result<Option<usize>> {
        let mut buffers = [IoSliceMut::new(buffer)];
        match preadv2(&self.fd, &mut buffers, offset, ReadWriteFlags::NOWAIT) {
            // A result of 0 doesn't always mean the end of the file (preadv2(2), "BUGS", reports
            // this for Linux 5.9 and 5.10, and we've seen it with 6.18), so a thread tries again.
            // Also, not every file system can tell which bytes are in memory.
            Ok(0) | Err(Errno::AGAIN | Errno::OPNOTSUPP) => Ok(None),
            Ok(count) => Ok(Some(count)),
            Err(error) => Err(named("pread", &self.fd, offset, error)),
        }
    }

    /// Returns true if the byte at `offset` is in memory.
    pub(crate) fn is_cached(&self, offset: u64) -> io::Result<bool> {
        Ok(self.read_cached(&mut [0], offset)?.is_some())
    }

    /// Sends as much of `part` as the socket has room for, without copying the bytes into this
    /// program. Sends 0 bytes if the file no longer has any bytes there. If bytes aren't in memory,
    /// the call sleeps.
    ///
    /// Unlike send(2), sendfile(2) has no flag against SIGPIPE, but Rust programs ignore SIGPIPE.
    pub(crate) fn send(&self, socket: impl AsFd, part: Range<u64>) -> io::Result<Written> {
        let count = usize::try_from(part.end - part.start).unwrap_or(usize::MAX);
        let mut offset = part.start;
        match retry_on_intr(|| sendfile(&socket, &self.fd, Some(&mut offset), count)) {
            Ok(count) => Ok(Written::Bytes(count)),
            Err(Errno::AGAIN) => Ok(Written::WouldBlock),
            Err(error) => Err(named("sendfile", &self.fd, part.start, error)),
        }
    }

    /// Reads up to `count` bytes from `offset` on a thread.
    pub(crate) async fn read_in_thread(&self, count: usize, offset: u64) -> Result<Vec<u8>> {
        let fd = Arc::clone(&self.fd);
        let work = move || {
            let mut bytes = vec![0; count];
            let read = pread(&fd, &mut bytes[..], offset)
                .map_err(|error| named("pread", &fd, offset, error))?;
            bytes.truncate(read);
            if bytes.is_empty() { Err(has_shrunk().into()) } else { Ok(bytes) }
        };
        get_running_loop()?.run_in_executor(work).await
    }
}

/// Returns the error for a file that has shrunk. The error ends the connection, since the server
/// has no other way to tell the client that it won't get all the bytes it was promised.
fn has_shrunk() -> io::Error {
    io::Error::new(ErrorKind::UnexpectedEof, "the file became shorter while it was sent")
}

fn named(call: &str, fd: &OwnedFd, offset: u64, error: Errno) -> io::Error {
    CallError::wrap(format!("{call} fd {} at {offset}", fd.as_raw_fd()), error.into())
}
