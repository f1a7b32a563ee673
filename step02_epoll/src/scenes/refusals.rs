//! What epoll does not take, and what it does not let go.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use step01_fd::{pipe, write};
use step02_epoll::{Epoll, Events, Interest, Trigger, errno};
use workbook::{Transcript, say};

use super::in_words;

/// The kernel's answer, whatever the layer wrote around it.
fn answer(result: io::Result<()>) -> String {
    match result {
        Ok(()) => "taken".to_string(),
        Err(error) => match errno(&error) {
            Some(number) => io::Error::from_raw_os_error(number).to_string(),
            None => error.to_string(),
        },
    }
}

/// A regular file is never "not ready": the question makes no sense, so the kernel refuses it.
pub(crate) fn refused(t: &mut Transcript) -> anyhow::Result<()> {
    let epoll = Epoll::new()?;
    let add = |fd: BorrowedFd<'_>| answer(epoll.add(fd, 0, Interest::READABLE, Trigger::Level));
    let (reader, _writer) = pipe()?;
    let another = Epoll::new()?;
    say!(t, "add a pipe:            {}", add(reader.as_fd()));
    say!(t, "add it again:          {}", add(reader.as_fd()));
    say!(t, "add a duplicate of it: {}", add(reader.try_clone()?.as_fd()));
    say!(t, "add a regular file:    {}", add(File::open("/proc/self/exe")?.as_fd()));
    say!(t, "add another epoll:     {}", add(another.as_fd()));
    say!(t, "add the epoll itself:  {}", add(epoll.as_fd()));
    let (stranger, _writer) = pipe()?;
    say!(
        t,
        "modify a stranger:     {}",
        answer(epoll.modify(&stranger, 0, Interest::READABLE, Trigger::Level))
    );
    say!(t, "delete a stranger:     {}", answer(epoll.delete(&stranger)));
    Ok(())
}

/// The list is of open objects, each under the number it had. Closing the number removes it only if
/// it was the object's last.
pub(crate) fn closed_but_not_gone(t: &mut Transcript) -> anyhow::Result<()> {
    let epoll = Epoll::new()?;
    let mut events = Events::with_capacity(8);
    let mut look = || -> io::Result<String> {
        epoll.wait(&mut events, Some(Duration::ZERO))?;
        Ok(in_words(&events))
    };
    let (reader, writer) = pipe()?;
    let duplicate = reader.try_clone()?;
    epoll.add(&reader, 1, Interest::READABLE, Trigger::Level)?;
    drop(reader);
    write(&writer, b"hello")?;
    say!(t, "the registered number is closed; hello comes: {}", look()?);
    say!(t, "delete it by the duplicate's number: {}", answer(epoll.delete(&duplicate)));
    say!(t, "and still: {}", look()?);
    drop(duplicate);
    say!(t, "the duplicate is closed too: {}", look()?);
    Ok(())
}
