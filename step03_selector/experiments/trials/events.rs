//! A trial of the translation of events: the kernel's events for sockets and pipes in many states,
//! for keys of every kind.

use std::io::Write;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use scene::{Program, Transcript, say, trial};
use step01_fd::{Written, pipe, write};
use step02_epoll::{Epoll, Event, Events, Interest};
use step03_selector::{SelectorKey, Trigger};

use super::bench::described;

const BOTH: [Interest; 2] = [Interest::READABLE, Interest::WRITABLE];

/// A state in words, and a function that makes a descriptor in that state. The returned list keeps
/// other descriptors open, so that the first stays in that state.
type State = (&'static str, fn() -> anyhow::Result<(OwnedFd, Vec<OwnedFd>)>);

const STATES: [State; 13] = [
    ("a socket with room", || socket(|_, _| Ok(()))),
    ("a socket with bytes", || socket(|_, far| Ok(far.write_all(b"x")?))),
    ("a socket whose peer has shut down writing", || {
        socket(|_, far| Ok(far.shutdown(Shutdown::Write)?))
    }),
    ("a socket whose peer has shut down reading", || {
        socket(|_, far| Ok(far.shutdown(Shutdown::Read)?))
    }),
    ("a socket with bytes, whose peer has shut down writing", || {
        socket(|_, far| {
            far.write_all(b"x")?;
            Ok(far.shutdown(Shutdown::Write)?)
        })
    }),
    ("a socket that was shut down", || socket(|near, _| Ok(near.shutdown(Shutdown::Both)?))),
    ("a socket whose peer is closed", || {
        let (near, _) = UnixStream::pair()?;
        Ok((near.into(), vec![]))
    }),
    ("a TCP connection that was reset", reset),
    ("a UDP socket with an error", refused),
    ("the writing end of a pipe without a reader", || Ok((pipe()?.1, vec![]))),
    ("the writing end of a full pipe without a reader", || {
        let (_reader, writer) = pipe()?;
        while let Written::Bytes(_) = write(&writer, &[0; 4096])? {}
        Ok((writer, vec![]))
    }),
    ("the reading end of a pipe without a writer", || Ok((pipe()?.0, vec![]))),
    ("the reading end of a pipe with bytes, without a writer", || {
        let (reader, writer) = pipe()?;
        write(&writer, b"x")?;
        Ok((reader, vec![]))
    }),
];

fn socket(
    change: fn(&mut UnixStream, &mut UnixStream) -> anyhow::Result<()>,
) -> anyhow::Result<(OwnedFd, Vec<OwnedFd>)> {
    let (mut near, mut far) = UnixStream::pair()?;
    change(&mut near, &mut far)?;
    Ok((near.into(), vec![far.into()]))
}

/// A peer that closes with unread bytes resets the connection.
fn reset() -> anyhow::Result<(OwnedFd, Vec<OwnedFd>)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let mut near = TcpStream::connect(listener.local_addr()?)?;
    let (far, _) = listener.accept()?;
    near.write_all(b"unread")?;
    far.peek(&mut [0])?;
    drop(far);
    event_of(&near, Interest::READABLE, None)?;
    Ok((near.into(), vec![]))
}

/// A packet to a closed port comes back as an error.
fn refused() -> anyhow::Result<(OwnedFd, Vec<OwnedFd>)> {
    let near = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let closed = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    near.connect(closed.local_addr()?)?;
    drop(closed);
    near.send(b"x")?;
    event_of(&near, Interest::READABLE, None)?;
    Ok((near.into(), vec![]))
}

/// Returns the event that the kernel reports for a descriptor.
fn event_of(
    fd: impl AsFd,
    interest: Interest,
    timeout: Option<Duration>,
) -> anyhow::Result<Option<Event>> {
    let (epoll, mut events) = (Epoll::new()?, Events::with_capacity(1));
    epoll.add(fd, 0, interest, Trigger::Level)?;
    epoll.wait(&mut events, timeout)?;
    Ok(events.iter().next())
}

trial!(
    events_of_all_kinds,
    1,
    "Whatever the kernel reports, ready returns only the key's own directions and the closed sides."
);
fn events_of_all_kinds(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let [reading, writing] = BOTH;
    let cases = STATES.into_iter().flat_map(|state| {
        [reading, writing, reading | writing].into_iter().flat_map(move |asked| {
            [Interest::NONE, reading, writing, reading | writing]
                .map(|of_key| (state, asked, of_key))
        })
    });
    for ((state, make), asked, interest) in program.verbs(cases) {
        let (fd, _others) = make()?;
        let Some(event) = event_of(&fd, asked, Some(Duration::ZERO))? else { continue };
        // How often something is reported doesn't change what it means.
        let trigger = if asked == interest { Trigger::Edge } else { Trigger::Level };
        let key = SelectorKey { interest, trigger, data: 7 };
        let told = key.ready(event).map_or("None".to_owned(), |ready| described(&[ready]));
        say!(
            t,
            "{state}, watched for {asked:?}: a key for {interest:?} turns the event into {told}"
        );
    }
    Ok(())
}
