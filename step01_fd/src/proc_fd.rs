//! What a descriptor names, according to `/proc/self/fd`.
//!
//! Each entry there is a link whose name is a descriptor and whose target describes the open object.
//! A file's description is its path. Other objects have no name in any directory, so the kernel
//! makes one up.

use std::fmt;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::path::{Path, PathBuf};

use crate::CallError;

/// The kind of object that a descriptor names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Something that was opened by path: a file, a directory, a device, a terminal.
    Path(PathBuf),
    /// One end of a pipe. Both ends have the same inode.
    Pipe {
        /// Tells this pipe from all others.
        inode: u64,
    },
    /// A socket. Each of the two sockets of a connection has its own inode.
    Socket {
        /// Tells this socket from all others.
        inode: u64,
    },
    /// A kernel object without its own inode, by its name: `eventpoll`, `eventfd`.
    AnonInode(String),
    /// Anything else, in the kernel's words.
    Other(String),
}

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

/// Asks the kernel what `fd` names. See `proc_pid_fd(5)`.
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

/// Returns all descriptors that this process has open, lowest first.
///
/// They're raw, so only look at them: another thread can close one at any time.
pub fn open_descriptors() -> io::Result<Vec<(RawFd, Kind)>> {
    let mut open = list()?;
    open.sort_unstable();
    let mut described = Vec::new();
    for fd in open {
        match describe(fd) {
            Ok(kind) => described.push((fd, kind)),
            // The listing itself needed a descriptor, which is closed by now.
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
/// Parses a description: `pipe:[4711]`, `anon_inode:[eventpoll]`, `/dev/null`.
fn parse(target: &Path) -> Kind {
    let text = target.to_string_lossy();
    let Some((kind, rest)) = text.split_once(':').filter(|_| !target.is_absolute()) else {
        return Kind::Path(target.to_path_buf());
    };
    let name = rest.trim_start_matches('[').trim_end_matches(']');
    match (kind, name.parse()) {
        ("pipe", Ok(inode)) => Kind::Pipe { inode },
        ("socket", Ok(inode)) => Kind::Socket { inode },
        ("anon_inode", _) => Kind::AnonInode(name.to_string()),
        _ => Kind::Other(text.into_owned()),
    }
}
// ANCHOR_END: parse
