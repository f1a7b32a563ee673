//! Landlock: what a process may open from now on, and every process that it starts. See landlock(7).

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// What's allowed below a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To list directories.
    List,
    /// To read files and list directories.
    Read,
    /// To read and execute files, and to list directories.
    Execute,
    /// To read and write existing files, and to control devices, such as `/dev/null` or a terminal.
    Write,
    /// To do all there is, but no device file can be made.
    All,
}

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const MAKE_CHARACTER_DEVICE: u64 = 1 << 6;
const MAKE_BLOCK_DEVICE: u64 = 1 << 11;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;
/// What can be asked of a file that isn't a directory.
const OF_A_FILE: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

/// What the scopes of version 6 keep inside: connecting to abstract Unix sockets, and signals.
const SCOPES: u64 = 1 | 1 << 1;

/// The kernel's `landlock_ruleset_attr`.
#[repr(C)]
struct RulesetAttributes {
    handled_fs: u64,
    handled_net: u64,
    scoped: u64,
}

/// The kernel's `landlock_path_beneath_attr`, which is packed there.
#[repr(C, packed)]
struct PathBeneath {
    allowed: u64,
    parent_fd: i32,
}

const RULE_PATH_BENEATH: libc::c_int = 1;

/// Returns the version of the kernel's Landlock; 0 if it has none.
///
/// Since version 1 (Linux 5.13) it limits which files are opened, since 3 (6.2) also truncation, and
/// since 6 (6.12) signals to processes that aren't limited.
pub fn landlock_version() -> u32 {
    let nothing = std::ptr::null::<RulesetAttributes>();
    // SAFETY: with this flag (LANDLOCK_CREATE_RULESET_VERSION), the call reads no memory.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0_usize, 1) };
    u32::try_from(version).unwrap_or(0)
}

/// The paths that a process may open. Everything else is refused with EACCES.
#[derive(Debug)]
pub struct Landlock {
    ruleset: OwnedFd,
    handled: u64,
}

impl Landlock {
    /// Makes a set of rules that allows nothing yet. Returns `None` if the kernel has no Landlock.
    pub fn new() -> io::Result<Option<Landlock>> {
        let version = landlock_version();
        if version == 0 {
            return Ok(None);
        }
        let handled = handled_since(version);
        let scoped = if version >= 6 { SCOPES } else { 0 };
        let attributes = RulesetAttributes { handled_fs: handled, handled_net: 0, scoped };
        // A kernel refuses fields that it doesn't know, unless they're zero.
        let size = std::mem::size_of::<RulesetAttributes>();
        // SAFETY: the attributes live until the call returns, and have that size.
        let fd = unsafe {
            libc::syscall(libc::SYS_landlock_create_ruleset, &raw const attributes, size, 0)
        };
        let fd = checked(fd, "landlock_create_ruleset")?;
        // SAFETY: the kernel just made it, so it is open and ours.
        let ruleset = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(Some(Landlock { ruleset, handled }))
    }

    /// Allows something at a path and below it. If there's no such path, there's nothing to allow.
    ///
    /// Fails if the path can't be opened for another reason.
    pub fn allow(&mut self, path: &Path, access: Access) -> io::Result<()> {
        let opened = File::options().read(true).custom_flags(libc::O_PATH).open(path);
        let file = match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        let asked = match access {
            Access::List => READ_DIR,
            Access::Read => READ_DIR | READ_FILE,
            Access::Execute => READ_DIR | READ_FILE | EXECUTE,
            Access::Write => READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV,
            Access::All => !(MAKE_CHARACTER_DEVICE | MAKE_BLOCK_DEVICE | IOCTL_DEV),
        };
        let of_this = if file.metadata()?.is_dir() { u64::MAX } else { OF_A_FILE };
        let allowed = asked & of_this & self.handled;
        let rule = PathBeneath { allowed, parent_fd: file.as_raw_fd() };
        // SAFETY: the rule lives until the call returns, and is of the type that this kind has.
        let added = unsafe {
            libc::syscall(
                libc::SYS_landlock_add_rule,
                self.ruleset.as_raw_fd(),
                RULE_PATH_BENEATH,
                &raw const rule,
                0,
            )
        };
        let call = format!("landlock_add_rule {}", path.display());
        checked(added, &call).map(drop)
    }

    /// Returns the descriptor to restrict a process with.
    pub fn ruleset(&self) -> std::os::fd::BorrowedFd<'_> {
        self.ruleset.as_fd()
    }
}

/// Returns what a version of Landlock can refuse, of all that there is to be done with files.
fn handled_since(version: u32) -> u64 {
    let of_the_first = REFER - 1;
    let later = [(2, REFER), (3, TRUNCATE), (5, IOCTL_DEV)];
    let later = later.into_iter().filter(|(since, _)| version >= *since);
    later.fold(of_the_first, |handled, (_, access)| handled | access)
}

fn checked(returned: libc::c_long, call: &str) -> io::Result<i32> {
    if returned == -1 {
        let error = io::Error::last_os_error();
        return Err(io::Error::new(error.kind(), format!("{call}: {error}")));
    }
    i32::try_from(returned).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_version_refuses_what_an_older_one_does_and_more() {
        assert_eq!(handled_since(1), (1 << 13) - 1);
        assert_eq!(handled_since(2), (1 << 14) - 1);
        assert_eq!(handled_since(4), (1 << 15) - 1);
        assert_eq!(handled_since(7), (1 << 16) - 1);
    }
}
