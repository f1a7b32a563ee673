//! What epoll does not take.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use scene::{Transcript, say, scene};
use step01_fd::{pipe, read, write};
use step02_epoll::{Epoll, Interest, Trigger, errno};

use super::look;

/// The kernel's answer, whatever the layer wrote around it.
pub(crate) fn answer(result: io::Result<()>) -> String {
    match result {
        Ok(()) => "taken".to_string(),
        Err(error) => match errno(&error) {
            Some(number) => io::Error::from_raw_os_error(number).to_string(),
            None => error.to_string(),
        },
    }
}

scene!(epoll_ctl_errors, "What does epoll not take, and how does it say so?");
/// Each refusal has a number of its own, so that a program can tell its mistakes apart.
fn epoll_ctl_errors(t: Transcript) -> anyhow::Result<()> {
    let epoll = Epoll::new()?;
    let add = |fd: BorrowedFd<'_>| answer(epoll.add(fd, 0, Interest::READABLE, Trigger::Level));
    let (reader, _writer) = pipe()?;
    say!(t, "add a pipe:            {}", add(reader.as_fd()));
    say!(t, "add it again:          {}", add(reader.as_fd()));
    say!(t, "add a duplicate of it: {}", add(reader.try_clone()?.as_fd()));
    say!(t, "add a regular file:    {}", add(File::open("/proc/self/exe")?.as_fd()));
    let (stranger, _writer) = pipe()?;
    let modified = epoll.modify(&stranger, 0, Interest::READABLE, Trigger::Level);
    say!(t, "modify a stranger:     {}", answer(modified));
    say!(t, "delete a stranger:     {}", answer(epoll.delete(&stranger)));
    let closed = stranger.as_raw_fd();
    drop(stranger);
    say!(t, "delete a closed one:   {}", answer(delete_number(&epoll, closed)));
    Ok(())
}

/// `Epoll` takes no bare numbers, and so cannot be handed one that nobody has open.
fn delete_number(epoll: &Epoll, number: libc::c_int) -> io::Result<()> {
    let epoll = epoll.as_fd().as_raw_fd();
    let nothing = std::ptr::null_mut();
    // SAFETY: a deletion looks at no event, and the kernel checks the numbers.
    let deleted = unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_DEL, number, nothing) };
    step01_fd::check(deleted, || format!("epoll_ctl DEL fd {number}")).map(drop)
}

scene!(epoll_in_epoll, "Can an epoll wait for another one?");
/// An epoll object is a descriptor like any other: readable while its list has news. But no list
/// may lead back to itself, for who would be woken then, and by whom?
fn epoll_in_epoll(t: Transcript) -> anyhow::Result<()> {
    let (outer, inner) = (Epoll::new()?, Epoll::new()?);
    let (reader, writer) = pipe()?;
    let add = |list: &Epoll, fd: BorrowedFd<'_>| {
        answer(list.add(fd, 0, Interest::READABLE, Trigger::Level))
    };
    say!(t, "inner takes a pipe:     {}", add(&inner, reader.as_fd()));
    say!(t, "outer takes inner:      {}", add(&outer, inner.as_fd()));
    say!(t, "  outer: {}, inner: {}", look(&outer)?, look(&inner)?);
    write(&writer, b"hello")?;
    say!(t, "hello comes");
    say!(t, "  outer: {}, inner: {}", look(&outer)?, look(&inner)?);
    read(&reader, &mut [0; 16])?;
    say!(t, "it is read");
    say!(t, "  outer: {}, inner: {}", look(&outer)?, look(&inner)?);
    say!(t, "outer takes itself:     {}", add(&outer, outer.as_fd()));
    say!(t, "inner takes outer:      {}", add(&inner, outer.as_fd()));
    say!(t, "one on top of the next: {}", pile_up()?);
    Ok(())
}

/// Puts each of many epoll objects on the list of the next. The kernel bounds the height.
fn pile_up() -> anyhow::Result<String> {
    let mut pile = vec![Epoll::new()?];
    for _ in 0..20 {
        let next = Epoll::new()?;
        if let Err(error) = next.add(&pile[pile.len() - 1], 0, Interest::READABLE, Trigger::Level) {
            return Ok(answer(Err(error)));
        }
        pile.push(next);
    }
    Ok("taken, twenty of them".to_string())
}
