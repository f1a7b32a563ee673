//! The object that a descriptor names, according to `/proc/self/fd`.
//!
//! Each entry in `/proc/self/fd` is a link whose name is a descriptor and whose target describes
//! the open object. A file's description is its path, with ` (deleted)` after it if the file was
//! removed. Objects that never had a name in any directory get a name that the kernel makes up.

use std::fmt;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::path::{Path, PathBuf};

use crate::CallError;

// ANCHOR: kind
/// The kind of object that a descriptor names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// An object with a path: a file, a directory, a FIFO, a device, a terminal, or a file that
    /// `memfd_create(2)` made and whose path the kernel makes up.
    Path(PathBuf),
    /// One end of a pipe. Both ends have the same inode.
    Pipe {
        /// A number that tells this pipe from other open pipes, at least until the kernel's counter
        /// wraps at 2³².
        inode: u64,
    },
    /// A socket. Each of the two sockets of a connection has its own inode.
    Socket {
        /// A number that tells this socket from other open sockets, at least until the kernel's
        /// counter wraps at 2³².
        inode: u64,
    },
    /// A kernel object other than a file, a pipe or a socket, with the name of its kind, such as
    /// `eventpoll` or `eventfd`. Most of these objects share one inode.
    AnonInode(String),
    /// Any other object, with the kernel's description of it. Bytes that aren't UTF-8 become
    /// U+FFFD.
    Other(String),
}
// ANCHOR_END: kind

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Path(path) => write!(f, "{}", path.display()),
            Kind::Pipe { inode } => write!(f, "pipe:[{inode}]"),
            Kind::Socket { inode } => write!(f, "socket:[{inode}]"),
            Kind::AnonInode(name) => write!(f, "anon_inode:[{name}]"),
            Kind::Other(text) => f.write_str(text),
        }
    }
}

/// Returns the kind of object that `fd` names. See `proc_pid_fd(5)`.
///
/// # Errors
///
/// Fails with `NotFound` if `/proc` isn't mounted.
///
/// # Examples
///
/// ```
/// let (reader, writer) = step01_fd::pipe()?;
/// assert!(matches!(step01_fd::what_is(&reader)?, step01_fd::Kind::Pipe { .. }));
/// assert_eq!(step01_fd::what_is(&reader)?, step01_fd::what_is(&writer)?);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn what_is(fd: impl AsFd) -> io::Result<Kind> {
    describe(fd.as_fd().as_raw_fd())
}

/// Returns the descriptors that this process has open and their kinds, lowest descriptor first.
///
/// The descriptors are raw, so use them only in reports: another thread can close one at any time.
///
/// # Errors
///
/// Fails if `/proc/self/fd` can't be listed, because `/proc` isn't mounted or no descriptor is
/// left, and if a link can't be read although its descriptor is still open.
pub fn open_descriptors() -> io::Result<Vec<(RawFd, Kind)>> {
    let mut open = list()?;
    open.sort_unstable();
    let mut described = Vec::new();
    for fd in open {
        match describe(fd) {
            Ok(kind) => described.push((fd, kind)),
            // Closed by now: the listing's own descriptor, or one that another thread has closed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(described)
}

fn list() -> io::Result<Vec<RawFd>> {
    let mut listed = Vec::new();
    for entry in fs::read_dir("/proc/self/fd")? {
        let name = entry?.file_name();
        listed.extend(name.to_str().and_then(|name| name.parse::<RawFd>().ok()));
    }
    Ok(listed)
}

fn describe(fd: RawFd) -> io::Result<Kind> {
    let link = format!("/proc/self/fd/{fd}");
    match fs::read_link(&link) {
        Ok(target) => Ok(parse(&target)),
        Err(error) => Err(CallError::wrap(format!("readlink {link}"), error)),
    }
}

// ANCHOR: parse
/// Parses a description, which is the target of a link in `/proc/PID/fd`, such as `pipe:[4711]`,
/// `anon_inode:[eventpoll]` or `/dev/null`.
///
/// An absolute path becomes a [`Kind::Path`] unchanged, whatever it contains: a file can be called
/// `pipe:[7]`, its name needn't be UTF-8, and ` (deleted)` could be part of the name. A description
/// becomes a [`Kind::Pipe`] or a [`Kind::Socket`] only if there's a number (a `u64`) between two
/// brackets. Any description that fits nothing else becomes a [`Kind::Other`], such as
/// `net:[4026531840]`, `pipe:[x]`, or a path that isn't absolute: `(unreachable)/log`.
pub fn parse(target: &Path) -> Kind {
    if target.is_absolute() {
        return Kind::Path(target.to_path_buf());
    }
    let text = target.to_string_lossy();
    let (kind, name) = text.split_once(':').unwrap_or_default();
    let inside = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    match (kind, inside.and_then(|inside| inside.parse().ok())) {
        ("pipe", Some(inode)) => Kind::Pipe { inode },
        ("socket", Some(inode)) => Kind::Socket { inode },
        ("anon_inode", _) => Kind::AnonInode(inside.unwrap_or(name).to_string()),
        _ => Kind::Other(text.into_owned()),
    }
}
// ANCHOR_END: parse
