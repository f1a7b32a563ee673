//! How often epoll reports a descriptor, and what it reports without being asked.

use std::os::fd::AsFd;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, read, socketpair, write};
use step02_epoll::{Epoll, Interest, Trigger};

use super::ready_now;

fn watch(fd: impl AsFd, interest: Interest, trigger: Trigger) -> anyhow::Result<Epoll> {
    let epoll = Epoll::new()?;
    epoll.add(fd, 1, interest, trigger)?;
    Ok(epoll)
}

scene!(
    level_or_edge,
    "Two of five bytes are read. Which trigger reports the rest: level, edge, or both?"
);
/// Two epolls watch one pipe. After each change both are asked, with a timeout of zero.
fn level_or_edge(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let level = watch(&reader, Interest::READABLE, Trigger::Level)?;
    let edge = watch(&reader, Interest::READABLE, Trigger::Edge)?;
    let compare = |when: &str| -> anyhow::Result<()> {
        say!(t, "{when:<20} level: {:<9} edge: {}", ready_now(&level)?, ready_now(&edge)?);
        Ok(())
    };
    compare("empty")?;
    write(&writer, b"hello")?;
    compare("5 bytes arrive")?;
    compare("wait again")?;
    read(&reader, &mut [0; 2])?;
    compare("2 bytes are read")?;
    write(&writer, b"!")?;
    compare("1 byte arrives")?;
    read(&reader, &mut [0; 16])?;
    compare("all are read")?;
    write(&writer, b"again")?;
    compare("5 bytes arrive")?;
    edge.modify(&reader, 1, Interest::READABLE, Trigger::Edge)?;
    compare("modify edge's entry")?;
    Ok(())
}

scene!(
    one_shot,
    "A one-shot entry was reported. Which of these reports it again: a byte, a hang-up, a modify?"
);
/// Registers a pipe as one-shot, and asks with a timeout of zero after each change.
fn one_shot(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let epoll = watch(&reader, Interest::READABLE, Trigger::OneShot)?;
    write(&writer, b"hello")?;
    say!(t, "5 bytes arrive:    {}", ready_now(&epoll)?);
    say!(t, "wait again:        {}", ready_now(&epoll)?);
    write(&writer, b"!")?;
    say!(t, "1 byte arrives:    {}", ready_now(&epoll)?);
    drop(writer);
    say!(t, "the writer closes: {}", ready_now(&epoll)?);
    epoll.modify(&reader, 1, Interest::READABLE, Trigger::OneShot)?;
    say!(t, "modify the entry:  {}", ready_now(&epoll)?);
    Ok(())
}

scene!(
    hangup_needs_no_interest,
    "A pipe is registered with no interest at all, and its writer closes. Is it reported?"
);
/// Watches two pipes whose other end is closed, and a socket whose peer first shuts down its
/// writing side (`shutdown(2)`) and then closes.
fn hangup_needs_no_interest(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let nothing = watch(&reader, Interest::NONE, Trigger::Level)?;
    say!(t, "pipe.r, NONE:            {}", ready_now(&nothing)?);
    drop(writer);
    say!(t, "  the writer closes:     {}", ready_now(&nothing)?);

    let (reader, writer) = pipe()?;
    let to_write = watch(&writer, Interest::WRITABLE, Trigger::Level)?;
    say!(t, "pipe.w, WRITABLE:        {}", ready_now(&to_write)?);
    drop(reader);
    say!(t, "  the reader closes:     {}", ready_now(&to_write)?);

    let (near, far) = socketpair()?;
    let to_read = watch(&near, Interest::READABLE, Trigger::Level)?;
    let to_write = watch(&near, Interest::WRITABLE, Trigger::Level)?;
    // std can close one direction of a UNIX socket.
    let far = std::os::unix::net::UnixStream::from(far);
    far.shutdown(std::net::Shutdown::Write)?;
    say!(t, "a socket, its peer shuts down its writing side");
    say!(t, "  READABLE:              {}", ready_now(&to_read)?);
    say!(t, "  WRITABLE:              {}", ready_now(&to_write)?);
    drop(far);
    say!(t, "  READABLE, peer closed: {}", ready_now(&to_read)?);
    Ok(())
}

scene!(
    hangup_spins,
    "A pipe's writer closes, and the loop ignores it. How many of 1,000 waits report the pipe?"
);
/// Three epolls watch a pipe with no interest, each with a different trigger. The loop does nothing
/// about what they report.
fn hangup_spins(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let level = watch(&reader, Interest::NONE, Trigger::Level)?;
    let edge = watch(&reader, Interest::NONE, Trigger::Edge)?;
    let one_shot = watch(&reader, Interest::NONE, Trigger::OneShot)?;
    drop(writer);
    say!(t, "of 1,000 waits, how many report the pipe?");
    say!(t, "  level:                 {}", count_reports(&level)?);
    say!(t, "  edge:                  {}", count_reports(&edge)?);
    say!(t, "  one-shot:              {}", count_reports(&one_shot)?);
    level.delete(&reader)?;
    say!(t, "  level, after a delete: {}", count_reports(&level)?);
    Ok(())
}

fn count_reports(epoll: &Epoll) -> anyhow::Result<usize> {
    let mut reports = 0;
    for _ in 0..1000 {
        reports += usize::from(ready_now(epoll)? != "nothing");
    }
    Ok(reports)
}
