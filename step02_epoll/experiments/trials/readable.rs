//! A trial of the events that count as readable.

use std::fmt;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use kit::objects::{eventfd, own};
use scene::{Program, Transcript, say, trial};
use step01_fd::{pipe, socketpair, write};
use step02_epoll::{Epoll, Events, Interest, Trigger};

/// A descriptor to watch, and the state that it's in.
#[derive(Debug, Clone, Copy)]
enum Object {
    EmptyPipe,
    PipeWithBytes,
    PipeWithBytesAtTheEnd,
    PipeAtTheEnd,
    PipeWithRoom,
    PipeWithoutReader,
    Socket,
    SocketWithBytes,
    SocketPeerShutDown,
    SocketPeerClosed,
    SocketShutDownForReading,
    TcpReset,
    TcpNeverConnected,
    Counter,
}

use Object::{
    Counter, EmptyPipe, PipeAtTheEnd, PipeWithBytes, PipeWithBytesAtTheEnd, PipeWithRoom,
    PipeWithoutReader, Socket, SocketPeerClosed, SocketPeerShutDown, SocketShutDownForReading,
    SocketWithBytes, TcpNeverConnected, TcpReset,
};

const OBJECTS: [Object; 14] = [
    EmptyPipe,
    PipeWithBytes,
    PipeWithBytesAtTheEnd,
    PipeAtTheEnd,
    PipeWithRoom,
    PipeWithoutReader,
    Socket,
    SocketWithBytes,
    SocketPeerShutDown,
    SocketPeerClosed,
    SocketShutDownForReading,
    TcpReset,
    TcpNeverConnected,
    Counter,
];

impl Object {
    /// Makes the object. Returns the descriptor to watch, and a second descriptor if it has to stay
    /// open meanwhile.
    fn make(self) -> anyhow::Result<(OwnedFd, Option<OwnedFd>)> {
        match self {
            PipeWithRoom | PipeWithoutReader => {
                let (reader, writer) = pipe()?;
                Ok((writer, matches!(self, PipeWithRoom).then_some(reader)))
            }
            EmptyPipe | PipeWithBytes | PipeWithBytesAtTheEnd | PipeAtTheEnd => {
                let (reader, writer) = pipe()?;
                if matches!(self, PipeWithBytes | PipeWithBytesAtTheEnd) {
                    write(&writer, b"hello")?;
                }
                let stays = matches!(self, EmptyPipe | PipeWithBytes);
                Ok((reader, stays.then_some(writer)))
            }
            TcpReset => reset(),
            TcpNeverConnected => Ok((tcp_socket()?, None)),
            Counter => Ok((eventfd(1)?, None)),
            _ => self.make_socket(),
        }
    }

    fn make_socket(self) -> anyhow::Result<(OwnedFd, Option<OwnedFd>)> {
        let (near, far) = socketpair()?;
        let (near, far) = (UnixStream::from(near), UnixStream::from(far));
        match self {
            SocketWithBytes => drop(write(&far, b"hello")?),
            SocketPeerShutDown => far.shutdown(Shutdown::Write)?,
            SocketShutDownForReading => near.shutdown(Shutdown::Read)?,
            _ => {}
        }
        let stays = !matches!(self, SocketPeerClosed);
        Ok((near.into(), stays.then_some(far.into())))
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EmptyPipe => "an empty pipe",
            PipeWithBytes => "a pipe with bytes",
            PipeWithBytesAtTheEnd => "a pipe with bytes, whose writer has closed",
            PipeAtTheEnd => "an empty pipe whose writer has closed",
            PipeWithRoom => "a pipe's writing end",
            PipeWithoutReader => "the writing end of a pipe whose reader has closed",
            Socket => "a socket",
            SocketWithBytes => "a socket with bytes",
            SocketPeerShutDown => "a socket whose peer has shut down its writing side",
            SocketPeerClosed => "a socket whose peer has closed",
            SocketShutDownForReading => "a socket that is shut down for reading",
            TcpReset => "a TCP connection after a reset",
            TcpNeverConnected => "a TCP socket that was never connected",
            Counter => "a counter at 1",
        })
    }
}

fn tcp_socket() -> anyhow::Result<OwnedFd> {
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    // SAFETY: socket takes three integers and touches no memory of ours.
    own("socket", unsafe { libc::socket(libc::AF_INET, kind, 0) })
}

/// Makes a connection whose peer has closed its end with a byte unread, which resets it.
fn reset() -> anyhow::Result<(OwnedFd, Option<OwnedFd>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let peer = TcpStream::connect(listener.local_addr()?)?;
    let (stream, _) = listener.accept()?;
    write(&stream, b"x")?;
    peer.peek(&mut [0])?;
    drop(peer);
    let epoll = Epoll::new()?;
    epoll.add(&stream, 0, Interest::NONE, Trigger::Level)?;
    epoll.wait(&mut Events::with_capacity(1), None)?;
    Ok((stream.into(), None))
}

trial!(
    readable_or_not,
    1,
    "An event is readable if a read would return at once: with bytes, with the end or with an error."
);
/// Watches each object with each interest. The kernel decides which bits an event has, and the
/// layer decides what the bits mean.
fn readable_or_not(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let both = Interest::READABLE | Interest::WRITABLE;
    let interests = [Interest::NONE, Interest::READABLE, Interest::WRITABLE, both];
    let pairs = OBJECTS.iter().flat_map(|&object| interests.map(|interest| (object, interest)));
    for (object, interest) in program.verbs(pairs) {
        let (watched, _other) = object.make()?;
        let epoll = Epoll::new()?;
        epoll.add(&watched, 0, interest, Trigger::Level)?;
        let mut events = Events::with_capacity(1);
        epoll.wait(&mut events, Some(Duration::ZERO))?;
        let says = events.iter().next().map_or_else(
            || "no event".to_owned(),
            |event| format!("{event:?}: is_readable() is {}", event.is_readable()),
        );
        say!(t, "{object}, watched for {interest:?}: {}", says.replace("token: 0, ", ""));
    }
    Ok(())
}
