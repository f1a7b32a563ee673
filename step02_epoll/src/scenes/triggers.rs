//! How often one hears of a descriptor, and of what.

use std::os::fd::AsFd;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, read, socketpair, write};
use step02_epoll::{Epoll, Interest, Trigger};

use super::look;

fn watch(fd: impl AsFd, interest: Interest, trigger: Trigger) -> anyhow::Result<Epoll> {
    let epoll = Epoll::new()?;
    epoll.add(fd, 1, interest, trigger)?;
    Ok(epoll)
}

scene!(level_or_edge, "Half of the bytes are read, half are not. Who hears of the rest?");
/// Two lists, one pipe, and always the same question: is there news?
fn level_or_edge(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let level = watch(&reader, Interest::READABLE, Trigger::Level)?;
    let edge = watch(&reader, Interest::READABLE, Trigger::Edge)?;
    let compare = |when: &str| -> anyhow::Result<()> {
        say!(t, "{when:<20} level: {:<9} edge: {}", look(&level)?, look(&edge)?);
        Ok(())
    };
    compare("empty")?;
    write(&writer, b"hello")?;
    compare("hello came")?;
    compare("looking again")?;
    read(&reader, &mut [0; 2])?;
    compare("two bytes were read")?;
    write(&writer, b"!")?;
    compare("one more came")?;
    read(&reader, &mut [0; 16])?;
    compare("all were read")?;
    write(&writer, b"again")?;
    compare("five more came")?;
    edge.modify(&reader, 1, Interest::READABLE, Trigger::Edge)?;
    compare("edge is modified")?;
    Ok(())
}

scene!(one_shot, "Told once and then never: until when?");
/// A one-shot registration stays on the list, but silent, until it is armed again.
fn one_shot(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let epoll = watch(&reader, Interest::READABLE, Trigger::OneShot)?;
    write(&writer, b"hello")?;
    say!(t, "hello came:       {}", look(&epoll)?);
    say!(t, "looking again:    {}", look(&epoll)?);
    write(&writer, b"!")?;
    say!(t, "one more came:    {}", look(&epoll)?);
    drop(writer);
    say!(t, "the writer left:  {}", look(&epoll)?);
    epoll.modify(&reader, 1, Interest::READABLE, Trigger::OneShot)?;
    say!(t, "armed again:      {}", look(&epoll)?);
    Ok(())
}

scene!(hangup_unasked, "Nobody asked about anything, and the other side goes away. Who is told?");
/// A hang-up and an error are reported to everybody. That the other side will send no more, while
/// it still listens, only to those who asked to read.
fn hangup_unasked(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let nothing = watch(&reader, Interest::NONE, Trigger::Level)?;
    say!(t, "pipe.r, asked for nothing:      {}", look(&nothing)?);
    drop(writer);
    say!(t, "  the writer left:              {}", look(&nothing)?);

    let (reader, writer) = pipe()?;
    let to_write = watch(&writer, Interest::WRITABLE, Trigger::Level)?;
    say!(t, "pipe.w, asked to write:         {}", look(&to_write)?);
    drop(reader);
    say!(t, "  the reader left:              {}", look(&to_write)?);

    let (near, far) = socketpair()?;
    let to_read = watch(&near, Interest::READABLE, Trigger::Level)?;
    let to_write = watch(&near, Interest::WRITABLE, Trigger::Level)?;
    // std can close one direction of a UNIX socket.
    let far = std::os::unix::net::UnixStream::from(far);
    far.shutdown(std::net::Shutdown::Write)?;
    say!(t, "a socket whose peer has sent its last byte");
    say!(t, "  asked to read:                {}", look(&to_read)?);
    say!(t, "  asked to write:               {}", look(&to_write)?);
    drop(far);
    say!(t, "  the peer left, asked to read: {}", look(&to_read)?);
    Ok(())
}

scene!(hangup_spins, "And if nobody does anything about it?");
/// The other side has left, nobody asked, and nobody does anything about it.
fn hangup_spins(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let level = watch(&reader, Interest::NONE, Trigger::Level)?;
    let edge = watch(&reader, Interest::NONE, Trigger::Edge)?;
    let one_shot = watch(&reader, Interest::NONE, Trigger::OneShot)?;
    drop(writer);
    say!(t, "of 1000 looks, how many find news?");
    say!(t, "  level:    {}", found(&level)?);
    say!(t, "  edge:     {}", found(&edge)?);
    say!(t, "  one-shot: {}", found(&one_shot)?);
    level.delete(&reader)?;
    say!(t, "  deleted:  {}", found(&level)?);
    Ok(())
}

fn found(epoll: &Epoll) -> anyhow::Result<usize> {
    let mut found = 0;
    for _ in 0..1000 {
        found += usize::from(look(epoll)? != "nothing");
    }
    Ok(found)
}
