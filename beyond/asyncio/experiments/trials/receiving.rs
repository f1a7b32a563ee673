//! A trial of a stream's receiving: bytes in pieces of any size, false alarms, ends and resets.

use std::cell::RefCell;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::rc::Rc;

use asyncio::{StreamReader, StreamWriter, open_connection_on};
use kit::loopback::wait_until_delivered;
use rustix::net::sockopt::set_socket_recv_buffer_size;
use scene::{Program, Random, Transcript, say, trial};

use super::lines::Line;
use super::reads::{Position, Shelf, Wanted, read, sequence};

/// The part of the loop's scratch buffer into which a stream receives.
pub(super) const SCRATCH: usize = 64 * 1024;

/// An event that affects a connection.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verb {
    /// The peer sends this many bytes.
    Send(usize),
    /// The peer shuts down its sending side.
    End,
    /// The peer closes its socket with unread bytes, which resets the connection.
    Reset,
    /// Another descriptor of the socket takes what has arrived.
    Steal,
    Read(usize, usize),
    ReadExactly(usize, usize),
    ReadToEnd(usize),
    ReadLine(usize),
    /// Our side writes this many bytes.
    Write(usize),
    /// Sets the limit of what's kept.
    Limit(usize),
    AtEof,
    Cancel(usize),
    Drop(usize),
    Abort,
    Tick,
}

impl Verb {
    fn random(number: usize, reads: &mut Vec<usize>, random: &mut Random) -> Verb {
        let size = random.choose(&[1, 5, 1000, SCRATCH - 1, SCRATCH, SCRATCH + 1, 2 * SCRATCH]);
        let latest = &reads[reads.len().saturating_sub(2)..];
        let verb = match random.below(40) {
            0..8 => Verb::Send(size),
            8..17 => Verb::Read(number, random.choose(&[0, 1, 5, size, usize::MAX / 2])),
            17..19 => Verb::ReadExactly(number, random.choose(&[5, 1000, size])),
            19 if random.once_in(3) => Verb::ReadToEnd(number),
            20..23 => Verb::Steal,
            23 => Verb::AtEof,
            24 if !reads.is_empty() => Verb::Cancel(random.choose(latest)),
            25 if !reads.is_empty() => Verb::Drop(random.choose(latest)),
            26..28 if number > 6 => {
                random.choose(&[Verb::End, Verb::End, Verb::Reset, Verb::Abort])
            }
            28 => Verb::ReadLine(number),
            29 => Verb::Limit(random.choose(&[1, 10, 1000, SCRATCH])),
            _ => Verb::Tick,
        };
        let is_read = matches!(
            verb,
            Verb::Read(..) | Verb::ReadExactly(..) | Verb::ReadToEnd(_) | Verb::ReadLine(_)
        );
        if is_read {
            reads.push(number);
        }
        verb
    }
}

/// More than the kernel takes, so that some of it is unsent.
const MUCH: usize = 400_000;

/// A case that random verbs don't make.
#[derive(Debug, Clone, Copy)]
enum Given {
    /// A full buffer arrives over TCP while earlier bytes are kept.
    OverTcp,
    /// The end arrives while bytes are unsent.
    EndAndUnsent,
}

impl Given {
    fn verbs(self) -> Vec<Verb> {
        let tick = Verb::Tick;
        match self {
            Given::OverTcp => {
                let first = [Verb::Send(10), Verb::Read(1, 1), tick, tick];
                let then =
                    [Verb::Send(SCRATCH + 1), Verb::ReadExactly(2, 10 + SCRATCH), tick, tick];
                [first, then].concat()
            }
            Given::EndAndUnsent => {
                vec![Verb::Write(MUCH), Verb::Read(1, 5), tick, Verb::End, tick]
            }
        }
    }

    /// Returns the two ends of the connection.
    fn sockets(self) -> anyhow::Result<(UnixStream, UnixStream)> {
        match self {
            Given::OverTcp => tcp_pair(),
            Given::EndAndUnsent => Ok(UnixStream::pair()?),
        }
    }
}

/// Connects two TCP sockets. Reading and writing them is as with Unix sockets.
fn tcp_pair() -> anyhow::Result<(UnixStream, UnixStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    // The kernel keeps all that a trial sends, however late it's read.
    set_socket_recv_buffer_size(&listener, 4 * SCRATCH)?;
    let peer = TcpStream::connect(listener.local_addr()?)?;
    peer.set_nodelay(true)?;
    let (ours, peer) = (OwnedFd::from(listener.accept()?.0), OwnedFd::from(peer));
    Ok((ours.into(), peer.into()))
}

/// A connection whose peer sends an endless sequence of bytes.
pub(super) struct Stage {
    line: Rc<Line>,
    shelf: Shelf,
    position: Position,
    writer: StreamWriter,
    peer: Option<UnixStream>,
    /// Another descriptor of the socket.
    thief: UnixStream,
    sent: usize,
}

impl Stage {
    pub(super) fn new(
        t: Transcript,
        (ours, peer): (UnixStream, UnixStream),
    ) -> anyhow::Result<Stage> {
        let line = Line::new(t)?;
        peer.set_nonblocking(true)?;
        let thief = ours.try_clone()?;
        let shelf = Shelf::default();
        let writer = Rc::new(RefCell::new(None));
        let (put, kept) = (Rc::clone(&shelf), Rc::clone(&writer));
        line.run(async move {
            let (reader, writer) = open_connection_on(ours)?;
            put.replace(Some(reader));
            kept.replace(Some(writer));
            Ok(())
        })?;
        let Some(writer) = writer.take() else { anyhow::bail!("no connection") };
        let position = Position::default();
        Ok(Stage { line, shelf, position, writer, peer: Some(peer), thief, sent: 0 })
    }

    pub(super) fn perform(&mut self, verb: Verb, t: Transcript) -> anyhow::Result<()> {
        match verb {
            Verb::Send(count) => {
                let sent = self.send(count);
                say!(t, "  the peer sends {sent} bytes");
            }
            Verb::End => {
                let ended = self.peer.as_ref().map(|peer| peer.shutdown(Shutdown::Write).is_ok());
                say!(t, "  the peer shuts down its sending side: {ended:?}");
            }
            Verb::Reset => {
                let wrote = self.writer.write(b"unread").is_ok();
                say!(t, "  the peer closes, with bytes unread: {wrote}");
                self.peer = None;
            }
            Verb::Steal => {
                let stolen = (&self.thief).read(&mut vec![0; 4 * SCRATCH]).ok();
                say!(t, "  another reader takes the bytes that have arrived: {stolen:?}");
            }
            Verb::Read(number, count) => {
                self.line.begin(
                    number,
                    "read()",
                    read(&self.shelf, &self.position, Wanted::Some(count)),
                );
            }
            Verb::ReadExactly(number, count) => {
                let wait = read(&self.shelf, &self.position, Wanted::Exactly(count));
                self.line.begin(number, "read_exactly()", wait);
            }
            Verb::ReadToEnd(number) => {
                self.line.begin(
                    number,
                    "read_to_end()",
                    read(&self.shelf, &self.position, Wanted::All),
                );
            }
            Verb::ReadLine(number) => {
                let wait = read(&self.shelf, &self.position, Wanted::Line);
                self.line.begin(number, "readline()", wait);
            }
            Verb::Write(count) => {
                let wrote = self.writer.write(&vec![b'!'; count]).is_ok();
                say!(t, "  write, {count} bytes: {wrote}; unsent: {}", self.unsent());
            }
            Verb::Limit(limit) => {
                let set = (self.shelf.borrow_mut().as_mut())
                    .map(|reader| reader.set_limit(limit).is_ok());
                say!(t, "  set_limit({limit}): {set:?}");
            }
            Verb::AtEof => {
                let at_eof = self.shelf.borrow_mut().as_mut().map(StreamReader::at_eof);
                say!(t, "  at_eof(): {at_eof:?}");
            }
            Verb::Cancel(number) => {
                say!(t, "  task {number}: cancel(): {:?}", self.line.cancel(number));
            }
            Verb::Drop(number) => {
                say!(t, "  task {number}: its wait is dropped: {:?}", self.line.drop_wait(number));
            }
            Verb::Abort => {
                say!(t, "  abort()");
                self.writer.abort();
            }
            Verb::Tick => self.line.tick()?,
        }
        Ok(())
    }

    /// Sends the next bytes of the sequence, as far as there's room.
    fn send(&mut self, count: usize) -> usize {
        let bytes = sequence(self.sent, count);
        let sent = self.peer.as_mut().and_then(|peer| peer.write(&bytes).ok());
        if let Some(peer) = &self.peer {
            // What goes through TCP arrives a moment later; a Unix socket isn't asked for that.
            let _ = wait_until_delivered(peer, &self.thief);
        }
        self.sent += sent.unwrap_or_default();
        sent.unwrap_or_default()
    }

    fn unsent(&self) -> usize {
        self.writer.get_write_buffer_size()
    }

    pub(super) fn close(self, t: Transcript) -> anyhow::Result<()> {
        for _ in 0..2 {
            self.line.tick()?;
        }
        say!(t, "still waiting: {:?}", self.line.waiting());
        say!(t, "the loop could sleep: {:?}", self.line.event_loop().select_timeout());
        self.writer.abort();
        self.line.close()?;
        Ok(())
    }
}

trial!(
    bytes_that_arrive,
    62,
    "No matter how the bytes are split up, a reader gets all of them and waits when there are none."
);
fn bytes_that_arrive(program: &Program, t: Transcript) -> anyhow::Result<()> {
    // The last two programs are given.
    match program.number() % 62 {
        60 => return in_a_given_case(Given::OverTcp, program, t),
        61 => return in_a_given_case(Given::EndAndUnsent, program, t),
        _ => {}
    }
    let mut random = program.random();
    let mut reads = Vec::new();
    let verbs: Vec<Verb> =
        (0..20).map(|number| Verb::random(number, &mut reads, &mut random)).collect();
    // Some programs begin with a limit that's smaller than what arrives.
    let first = if program.number() % 6 == 5 { Verb::Limit(10) } else { Verb::Tick };
    let mut stage = Stage::new(t, UnixStream::pair()?)?;
    for verb in program.verbs([first].into_iter().chain(verbs)) {
        stage.perform(verb, t)?;
    }
    for number in 20..23 {
        stage.perform(Verb::Read(number, 4 * SCRATCH), t)?;
        stage.perform(Verb::Tick, t)?;
    }
    stage.close(t)
}

/// Receives over TCP, or while bytes are unsent.
fn in_a_given_case(given: Given, program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut stage = Stage::new(t, given.sockets()?)?;
    for verb in program.verbs(given.verbs()) {
        stage.perform(verb, t)?;
    }
    say!(t, "unsent: {}, closing: {}", stage.unsent(), stage.writer.is_closing());
    match given {
        Given::OverTcp => stage.close(t),
        // Without another tick, because to send the rest is a later exercise.
        Given::EndAndUnsent => Ok(stage.line.event_loop().close()?),
    }
}
