//! The number of times epoll reports a descriptor, and the events it reports without being asked.

use std::os::fd::AsFd;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, read, socketpair, write};
use step02_epoll::{Epoll, Events, Interest, Trigger};

use super::ready_now;

fn watch(fd: impl AsFd, interest: Interest, trigger: Trigger) -> anyhow::Result<Epoll> {
    let epoll = Epoll::new()?;
    epoll.add(fd, 1, interest, trigger)?;
    Ok(epoll)
}

scene!(
    level_or_edge,
    "You read two of five bytes and stop. Which registration still reports the socket: level or edge?"
);
/// Two epolls watch one socket. After each change, each of them waits with a timeout of zero. A
/// pipe would do the same, though not on Linux 5.5 to 5.13 without a later fix.
fn level_or_edge(t: Transcript) -> anyhow::Result<()> {
    let (socket, peer) = socketpair()?;
    let level = watch(&socket, Interest::READABLE, Trigger::Level)?;
    let edge = watch(&socket, Interest::READABLE, Trigger::Edge)?;
    let compare = |when: &str| -> anyhow::Result<()> {
        say!(t, "{when:<23} level: {:<9} edge: {}", ready_now(&level)?, ready_now(&edge)?);
        Ok(())
    };
    compare("nothing has arrived")?;
    write(&peer, b"hello")?;
    compare("5 bytes arrive")?;
    compare("you wait again")?;
    read(&socket, &mut [0; 2])?;
    compare("you read 2 bytes")?;
    write(&peer, b"!")?;
    compare("1 byte arrives")?;
    read(&socket, &mut [0; 16])?;
    compare("you read the rest")?;
    write(&peer, b"again")?;
    compare("5 bytes arrive")?;
    edge.modify(&socket, 1, Interest::READABLE, Trigger::Edge)?;
    compare("you call modify on edge")?;
    Ok(())
}

scene!(
    one_shot,
    "A one-shot registration has been reported. What gets it reported again: a byte, a modify, a hang-up?"
);
/// `the writer closes: nothing`: once the kernel has reported a one-shot registration, it clears
/// the mask, including the hang-up, which you otherwise can't decline. But the registration stays
/// on epoll's list. `modify` sets the mask again, and the next wait finds the unread bytes:
/// `you call modify:   readable`. After that report the registration is silent again.
fn one_shot(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let epoll = watch(&reader, Interest::READABLE, Trigger::OneShot)?;
    write(&writer, b"hello")?;
    say!(t, "5 bytes arrive:    {}", ready_now(&epoll)?);
    say!(t, "wait again:        {}", ready_now(&epoll)?);
    write(&writer, b"!")?;
    say!(t, "1 byte arrives:    {}", ready_now(&epoll)?);
    epoll.modify(&reader, 1, Interest::READABLE, Trigger::OneShot)?;
    say!(t, "you call modify:   {}", ready_now(&epoll)?);
    drop(writer);
    say!(t, "the writer closes: {}", ready_now(&epoll)?);
    Ok(())
}

scene!(
    registered_for_nothing,
    "You register a pipe for nothing at all, and then its writer closes. Does epoll report the pipe?"
);
/// Watches three pipes whose other end closes, and a socket whose peer first shuts down its writing
/// side (`shutdown(2)`) and then closes.
fn registered_for_nothing(t: Transcript) -> anyhow::Result<()> {
    let say_bits = |when: &str, epoll: &Epoll| -> anyhow::Result<()> {
        let (bits, counts) = bits_now(epoll)?;
        say!(t, "{when:<24} {}", bits);
        if let Some(counts) = counts {
            say!(t, "    {counts}");
        }
        Ok(())
    };
    let (reader, writer) = pipe()?;
    let for_nothing = watch(&reader, Interest::NONE, Trigger::Level)?;
    say_bits("pipe.r, for nothing:", &for_nothing)?;
    write(&writer, b"bye")?;
    say_bits("  3 bytes arrive:", &for_nothing)?;
    drop(writer);
    say_bits("  the writer closes:", &for_nothing)?;

    let (reader, writer) = pipe()?;
    let to_read = watch(&reader, Interest::READABLE, Trigger::Level)?;
    drop(writer);
    say!(t, "pipe.r, for reading");
    say_bits("  the writer closes:", &to_read)?;

    let (reader, writer) = pipe()?;
    let to_write = watch(&writer, Interest::WRITABLE, Trigger::Level)?;
    drop(reader);
    say!(t, "pipe.w, for writing");
    say_bits("  the reader closes:", &to_write)?;

    let (near, far) = socketpair()?;
    let to_read = watch(&near, Interest::READABLE, Trigger::Level)?;
    let to_write = watch(&near, Interest::WRITABLE, Trigger::Level)?;
    // std can close one direction of a UNIX socket.
    let far = std::os::unix::net::UnixStream::from(far);
    far.shutdown(std::net::Shutdown::Write)?;
    say!(t, "a socket whose peer shuts down its writing side");
    say_bits("  for reading:", &to_read)?;
    say_bits("  for writing:", &to_write)?;
    drop(far);
    say_bits("  the peer closes:", &to_read)?;
    Ok(())
}

/// Waits with a timeout of zero and returns the kernel's bits, and our layer's interpretation of
/// them.
fn bits_now(epoll: &Epoll) -> anyhow::Result<(String, Option<&'static str>)> {
    let mut events = Events::with_capacity(1);
    epoll.wait(&mut events, Some(Duration::ZERO))?;
    let Some(event) = events.iter().next() else { return Ok(("nothing".to_string(), None)) };
    let bits = format!("{event:?}");
    let bits = bits.trim_start_matches("Event { token: 1, bits: ").trim_end_matches(" }");
    let counts =
        if event.is_readable() { "counts as readable" } else { "doesn't count as readable" };
    Ok((bits.to_string(), Some(counts)))
}

scene!(
    an_ignored_hangup,
    "A pipe's writer closes, and the loop ignores the hang-up. How many of 1,000 waits report the pipe?"
);
/// `level:                 1000`, although the registration asked for nothing: the kernel reports a
/// hang-up without being asked, and the pipe stays hung up. So a level-triggered registration is
/// reported in every wait, and a loop that ignores it keeps a core busy. That's a classic bug: one
/// peer leaves, and the fan starts. An edge-triggered or one-shot registration is reported once.
/// Delete the registration, and the reports end: `level, after a delete: 0`.
fn an_ignored_hangup(t: Transcript) -> anyhow::Result<()> {
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
