//! What an event means to whoever waits.

use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use anyhow::Context;
use scene::{Transcript, say, scene};
use step01_fd::{pipe, socketpair, write};
use step02_epoll::{Event, Events, Interest, Poll};
use step03_selector::{SelectorKey, Trigger};

use super::backends::directions;

scene!(
    what_an_event_means,
    "Room, bytes, an end: which of them does the reader hear of, and which the writer?"
);
/// Bytes are for the reader, room is for the writer. The end of the other side is for both, or
/// somebody would wait for ever.
fn what_an_event_means(t: Transcript) -> anyhow::Result<()> {
    let (near, far) = socketpair()?;
    tell(t, "there is room", &near)?;
    write(&far, b"hello")?;
    tell(t, "and bytes came", &near)?;
    drop(far);
    tell(t, "the other side is gone", &near)?;

    let (near, far) = UnixStream::pair()?;
    far.shutdown(Shutdown::Write)?;
    tell(t, "it only sends no more", &near)?;

    let (_, writer) = pipe()?;
    tell(t, "a pipe without a reader", &writer)?;
    let (reader, _) = pipe()?;
    tell(t, "a pipe without a writer", &reader)
}

/// One event of the kernel, and what two keys make of it.
fn tell(t: Transcript, what: &str, fd: impl AsFd) -> anyhow::Result<()> {
    let event = event_of(fd)?;
    say!(t, "{what}");
    say!(t, "  the reader: {}", meaning(Interest::READABLE, event));
    say!(t, "  the writer: {}", meaning(Interest::WRITABLE, event));
    Ok(())
}

fn meaning(interest: Interest, event: Event) -> String {
    let key = SelectorKey { interest, trigger: Trigger::Level, data: "it" };
    key.ready(event).map_or("nothing".to_string(), |ready| directions(&ready))
}

/// What the kernel says of a descriptor when it is asked about both directions.
fn event_of(fd: impl AsFd) -> anyhow::Result<Event> {
    let mut poll = Poll::new();
    poll.add(fd, 0, Interest::READABLE | Interest::WRITABLE)?;
    let mut events = Events::with_capacity(1);
    poll.wait(&mut events, Some(Duration::ZERO))?;
    events.iter().next().context("no event")
}
