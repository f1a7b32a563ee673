//! The calls that `epoll_ctl(2)` refuses, and their errors.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};

use scene::{Transcript, say, scene};
use step01_fd::pipe;
use step02_epoll::{Epoll, Interest, Trigger, errno};

/// Describes the outcome of a call: success, or the kernel's text for its `errno`.
pub(crate) fn answer(result: io::Result<()>) -> String {
    match result {
        Ok(()) => "ok".to_string(),
        Err(error) => match errno(&error) {
            Some(errno) => io::Error::from_raw_os_error(errno).to_string(),
            None => error.to_string(),
        },
    }
}

scene!(
    epoll_ctl_errors,
    "Which of these does epoll_ctl refuse: a second add, a duplicate, a file, a closed descriptor?"
);
/// `add a duplicate of it:       ok`, although
/// `add it again:                File exists (os error 17)`: an entry of epoll's list is a number
/// together with the open object behind it, so another number for the same pipe makes another
/// entry. A file on a disk has no `poll` method, hence `EPERM`. `ENOENT` says that the pipe isn't
/// on the list, and `EBADF` that the process has no such descriptor.
fn epoll_ctl_errors(t: Transcript) -> anyhow::Result<()> {
    let epoll = Epoll::new()?;
    let add = |fd: BorrowedFd<'_>| answer(epoll.add(fd, 0, Interest::READABLE, Trigger::Level));
    let (reader, _writer) = pipe()?;
    say!(t, "add a pipe:                  {}", add(reader.as_fd()));
    say!(t, "add it again:                {}", add(reader.as_fd()));
    say!(t, "add a duplicate of it:       {}", add(reader.try_clone()?.as_fd()));
    say!(t, "add a regular file:          {}", add(File::open("/proc/self/exe")?.as_fd()));
    let (other, _writer) = pipe()?;
    let modified = epoll.modify(&other, 0, Interest::READABLE, Trigger::Level);
    say!(t, "modify a pipe not added:     {}", answer(modified));
    say!(t, "delete a pipe not added:     {}", answer(epoll.delete(&other)));
    let closed = other.as_raw_fd();
    drop(other);
    say!(t, "delete a closed descriptor:  {}", answer(delete_raw(&epoll, closed)));
    Ok(())
}

/// Deletes the entry of a bare integer. `Epoll::delete` takes an open descriptor, so you can't pass
/// it the number of a closed one.
fn delete_raw(epoll: &Epoll, fd: RawFd) -> io::Result<()> {
    let epoll = epoll.as_fd().as_raw_fd();
    let no_event = std::ptr::null_mut();
    // SAFETY: a deletion reads no event, and the kernel checks both descriptors.
    let deleted = unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_DEL, fd, no_event) };
    step01_fd::check(deleted, || format!("epoll_ctl DEL fd {fd}")).map(drop)
}
