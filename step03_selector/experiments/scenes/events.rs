//! The meaning of a kernel event for a registration.

use std::net::{Ipv4Addr, Shutdown, UdpSocket};
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
    "A peer closes. Which registration is ready then: one for READABLE, or one for WRITABLE?"
);
/// You can't read from a pipe's writing end, and yet it's
/// `key READABLE: READABLE, read closed, write closed` once the reader is gone. The kernel reports
/// a hang-up or an error whatever you've asked for, and `ready` counts it for both directions, so
/// that the key's owner wakes up, makes its call and finds out. A peer that has only shut down its
/// writing side still reads, so its event is `key WRITABLE: WRITABLE, read closed`.
fn what_an_event_means(t: Transcript) -> anyhow::Result<()> {
    let (near, far) = socketpair()?;
    translate(t, "there is room to write", &near)?;
    write(&far, b"hello")?;
    translate(t, "5 bytes have arrived, too", &near)?;
    drop(far);
    translate(t, "the peer has closed", &near)?;

    let (near, far) = UnixStream::pair()?;
    far.shutdown(Shutdown::Write)?;
    translate(t, "the peer has shut down its writing side", &near)?;

    let (_, writer) = pipe()?;
    translate(t, "a pipe without a reader", &writer)?;
    let (reader, _) = pipe()?;
    translate(t, "a pipe without a writer", &reader)
}

/// Prints the translation of one event for two keys.
fn translate(t: Transcript, state: &str, fd: impl AsFd) -> anyhow::Result<()> {
    let event = event_of(fd)?;
    say!(t, "{state}");
    say!(t, "  key READABLE: {}", meaning(Interest::READABLE, event));
    say!(t, "  key WRITABLE: {}", meaning(Interest::WRITABLE, event));
    Ok(())
}

fn meaning(interest: Interest, event: Event) -> String {
    let key = SelectorKey { interest, trigger: Trigger::Level, data: "it" };
    key.ready(event).map_or("nothing".to_string(), |ready| directions(&ready))
}

/// Returns the event that the kernel reports for a descriptor, with an interest in both directions.
fn event_of(fd: impl AsFd) -> anyhow::Result<Event> {
    let mut poll = Poll::new();
    poll.add(fd, 0, Interest::READABLE | Interest::WRITABLE)?;
    let mut events = Events::with_capacity(1);
    poll.wait(&mut events, Some(Duration::ZERO))?;
    events.iter().next().context("no event")
}

scene!(
    refused_datagram,
    "A UDP socket has an error, so it counts as closed. Can a datagram still arrive?"
);
/// At first, `far` is connected to its own address, so the kernel refuses the datagram from `near`.
/// The kernel reports that error as ERR, so `near` looks closed in both directions. But a datagram
/// socket has no end: once a read has returned the error, `near` is open, and the 5 bytes arrive.
/// So for such a socket, "closed" holds only until an event says otherwise.
fn refused_datagram(t: Transcript) -> anyhow::Result<()> {
    let near = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let far = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    near.connect(far.local_addr()?)?;
    far.connect(far.local_addr()?)?;
    near.send(b"hello")?;
    translate(t, "far refuses a datagram", &near)?;
    say!(t, "near reads: {:?}", near.recv(&mut [0; 16]).map_err(|error| error.kind()));
    far.connect(near.local_addr()?)?;
    far.send(b"hello")?;
    translate(t, "far sends 5 bytes", &near)?;
    say!(t, "near reads: {:?}", near.recv(&mut [0; 16]).map_err(|error| error.kind()));
    Ok(())
}
