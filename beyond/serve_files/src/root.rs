//! Opens files in the served directory and nowhere else.
//!
//! The kernel keeps us inside the directory: openat2(2) with `RESOLVE_BENEATH` refuses ".." and
//! symbolic links that lead outside. The call checks the path while resolving it, so there's no
//! moment between check and use in which another process could slip in a link. A link with an
//! absolute path is refused even if it leads back inside. To the kernel, a hard link or a mount
//! from elsewhere is part of the directory. One hole remains: a file's type is known only once the
//! file is open, so a FIFO or a device is opened and closed again before it's refused.
//!
//! Opening can take as long as a disk needs, and the loop would be blocked for that time. So the
//! first attempt uses `RESOLVE_CACHED`: it resolves only names in the kernel's cache, which keeps
//! recently requested names, and otherwise fails with EAGAIN. In that case, a thread opens the
//! file. It would be simpler to use a thread for every file, but handing the work over and back
//! costs more than everything else in a small answer.

use std::cell::RefCell;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use asyncio::{Result, get_running_loop};
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2};
use rustix::io::Errno;
use step01_fd::CallError;

use crate::file::File;
use crate::status::Status;

/// The served directory.
#[derive(Debug)]
pub(crate) struct Root {
    path: PathBuf,
    directory: RefCell<Arc<OwnedFd>>,
}

/// The result of looking for a file at a path.
#[derive(Debug)]
pub(crate) enum Found {
    File(Rc<File>),
    Directory,
    /// We can't serve anything at the path, and the answer's status says why.
    Nothing(Status),
}

impl Root {
    /// Opens the directory. A `Root` stays with this directory even if the directory is renamed.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Root { path: path.to_owned(), directory: RefCell::new(open_directory(path)?) })
    }

    /// Opens the file at a path relative to the directory.
    pub(crate) async fn find(&self, path: &[u8]) -> Result<Found> {
        let found = self.find_once(path).await?;
        // When a site is rebuilt, the same path may name a new directory. The old directory no
        // longer contains any names, so we only have to check for a new directory after a miss.
        if matches!(found, Found::Nothing(Status::NotFound)) && self.has_been_replaced() {
            return self.find_once(path).await;
        }
        Ok(found)
    }

    async fn find_once(&self, path: &[u8]) -> Result<Found> {
        let directory = Arc::clone(&self.directory.borrow());
        let opened = match open(&directory, path, ResolveFlags::CACHED) {
            // Linux before 5.12 doesn't know `RESOLVE_CACHED` and fails with EINVAL.
            Err(Errno::AGAIN | Errno::INVAL) => {
                let path = path.to_owned();
                let work = move || Ok(open(&directory, &path, ResolveFlags::empty()));
                get_running_loop()?.run_in_executor(work).await?
            }
            opened => opened,
        };
        Ok(opened.and_then(File::of).unwrap_or_else(|error| Found::Nothing(status_of(error))))
    }

    /// If the directory was removed and a new directory has its name, opens the new one and returns
    /// true.
    fn has_been_replaced(&self) -> bool {
        let was_removed =
            fstat(self.directory.borrow().as_fd()).is_ok_and(|status| status.st_nlink == 0);
        let replacement = was_removed.then(|| open_directory(&self.path).ok()).flatten();
        let is_there = replacement.is_some();
        if let Some(replacement) = replacement {
            self.directory.replace(replacement);
        }
        is_there
    }
}

fn open_directory(path: &Path) -> io::Result<Arc<OwnedFd>> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = openat(CWD, path, flags, Mode::empty());
    let named = |error: Errno| CallError::wrap(format!("open {}", path.display()), error.into());
    Ok(Arc::new(opened.map_err(named)?))
}

/// Opens a file for reading. Without `NONBLOCK`, opening a FIFO would block until another process
/// opened it for writing; `NOCTTY` keeps a terminal from becoming this process's controlling
/// terminal.
fn open(
    directory: &OwnedFd,
    path: &[u8],
    resolve: ResolveFlags,
) -> rustix::io::Result<Arc<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    openat2(directory, path, flags, Mode::empty(), ResolveFlags::BENEATH | resolve).map(Arc::new)
}

impl File {
    fn of(fd: Arc<OwnedFd>) -> rustix::io::Result<Found> {
        let status = fstat(&fd)?;
        Ok(match FileType::from_raw_mode(status.st_mode) {
            FileType::RegularFile => Found::File(Rc::new(File::new(fd, &status))),
            FileType::Directory => Found::Directory,
            _ => Found::Nothing(Status::Forbidden),
        })
    }
}

fn status_of(error: Errno) -> Status {
    match error {
        Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => Status::NotFound,
        // XDEV means a path that leads outside the directory, LOOP a cycle of links, and NXIO a
        // socket.
        Errno::ACCESS | Errno::PERM | Errno::XDEV | Errno::LOOP | Errno::NXIO => Status::Forbidden,
        Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::AGAIN => Status::ServiceUnavailable,
        _ => Status::InternalServerError,
    }
}
