//! Trials of one connection's turns, with a client that reads its answers.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::LazyLock;

use kit::loopback::{bytes_read, wait_for_the_end, wait_until_delivered, without_room};
use kit::memory::Memory;
use scene::{Program, Random, Transcript, say, trial};
use step01_fd::check;
use step02_epoll::{Connection, Progress};

use super::outcome;

/// An action of a client or its connection.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Send(usize),
    Echo { scratch: usize, has_room: bool },
    Read,
    ShutDown,
}

impl Verb {
    fn random(random: &mut Random) -> Verb {
        match random.below(12) {
            0..4 => Verb::Send(random.choose(&[1, 5, 16, 17, 100, 9000])),
            4..9 => {
                let scratch = random.choose(&[1, 16, 100, 9000, 65536]);
                Verb::Echo { scratch, has_room: !random.once_in(3) }
            }
            9..11 => Verb::Read,
            _ => Verb::ShutDown,
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Send(1) => f.write_str("the client sends 1 byte"),
            Verb::Send(count) => write!(f, "the client sends {count} bytes"),
            Verb::Echo { scratch, has_room } => {
                let full = if *has_room { "" } else { ", while the socket takes no bytes" };
                write!(f, "echo, scratch of {scratch}{full}")
            }
            Verb::Read => f.write_str("the client reads its answer"),
            Verb::ShutDown => f.write_str("the client shuts down its writing side"),
        }
    }
}

/// A client, and the server's connection to it.
struct Pair {
    client: TcpStream,
    connection: Connection,
    sent: usize,
    answered: usize,
    is_in_order: bool,
    /// The bytes of memory that the connection's turns have allocated and not freed.
    memory: isize,
}

impl Pair {
    fn new(listener: &TcpListener) -> io::Result<Self> {
        let client = TcpStream::connect(listener.local_addr()?)?;
        client.set_nodelay(true)?;
        client.set_nonblocking(true)?;
        let connection = Connection::new(listener.accept()?.0)?;
        Ok(Pair { client, connection, sent: 0, answered: 0, is_in_order: true, memory: 0 })
    }

    /// Sends up to `count` bytes of a pattern in which a lost byte shows. Returns their number.
    fn send(&mut self, count: usize) -> io::Result<usize> {
        let sent = or_zero(self.client.write(pattern(self.sent, count)))?;
        self.sent += sent;
        Ok(sent)
    }

    /// Reads the bytes that have arrived and compares them with the bytes that were sent.
    fn receive(&mut self) -> io::Result<usize> {
        let mut buffer = [0; 16 * 1024];
        let before = self.answered;
        loop {
            match or_zero(self.client.read(&mut buffer))? {
                0 => return Ok(self.answered - before),
                count => {
                    self.is_in_order &= buffer[..count] == *pattern(self.answered, count);
                    self.answered += count;
                }
            }
        }
    }

    /// Gives the connection a turn and returns its result and the number of bytes that it has read.
    fn echo(&mut self, scratch: &mut [u8]) -> io::Result<(io::Result<Progress>, String)> {
        let before = bytes_read(&self.connection)?;
        let (progress, memory) = Memory::of(|| self.connection.echo(scratch));
        self.memory += memory.in_use;
        let count = usize::try_from(bytes_read(&self.connection)? - before).unwrap_or_default();
        let expected = pattern(usize::try_from(before).unwrap_or_default(), count);
        // The end that the client sends counts as a byte.
        let is_in_scratch = count <= 1 || scratch.get(..count) == Some(expected);
        let where_to = if is_in_scratch { "" } else { ", but not into scratch" };
        let bytes = if count == 1 { "byte" } else { "bytes" };
        Ok((progress, format!("{count} {bytes} read{where_to}")))
    }

    fn order(&self) -> &'static str {
        if self.is_in_order { "as the client sent them" } else { "not what the client sent" }
    }
}

fn or_zero(result: io::Result<usize>) -> io::Result<usize> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
        result => result,
    }
}

/// A message in which a lost byte shows, because 251 is a prime.
static MESSAGE: LazyLock<Vec<u8>> = LazyLock::new(|| (0..251).cycle().take(80_000).collect());

/// Returns a piece of the endless message that begins with [`MESSAGE`].
fn pattern(start: usize, length: usize) -> &'static [u8] {
    &MESSAGE[start % 251..][..length]
}

/// Two messages that together fill more than half of the largest scratch buffer, and a turn.
const MUCH: &[Verb] =
    &[Verb::Send(19_000), Verb::Send(19_000), Verb::Echo { scratch: 65536, has_room: true }];

trial!(
    a_connection_in_any_order,
    30,
    "A turn writes the unsent bytes or, if there are none, reads once into all of scratch and echoes \
     the bytes."
);
fn a_connection_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    if program.number() == 1 {
        return into_a_large_scratch(program, t);
    }
    let mut random = program.random();
    let much = if program.number() == 0 { MUCH } else { &[] };
    let others = (0..20).map(|_| Verb::random(&mut random));
    let verbs = program.verbs(much.iter().copied().chain(others));
    let mut pair = Pair::new(&TcpListener::bind("127.0.0.1:0")?)?;
    let mut scratch = vec![0; 65536];
    let mut is_shut_down = false;
    for verb in verbs {
        let did = match verb {
            Verb::Send(_) | Verb::ShutDown if is_shut_down => continue,
            Verb::Send(count) => {
                pair.send(count)?;
                wait_until_delivered(&pair.client, &pair.connection)?;
                "done".to_owned()
            }
            Verb::Echo { scratch: length, has_room } => {
                let turn = if has_room {
                    pair.echo(&mut scratch[..length])?
                } else {
                    without_room(|| pair.echo(&mut scratch[..length]))??
                };
                say_turn(t, &verb.to_string(), turn);
                continue;
            }
            Verb::Read => {
                wait_until_delivered(&pair.connection, &pair.client)?;
                format!("{} bytes, {}", pair.receive()?, pair.order())
            }
            Verb::ShutDown => {
                is_shut_down = true;
                pair.client.shutdown(Shutdown::Write)?;
                wait_for_the_end(&pair.connection)?;
                "done".to_owned()
            }
        };
        say!(t, "{verb}: {did}");
    }
    if pair.connection.wants_to_write() {
        say_turn(t, "echo, to write the unsent bytes", pair.echo(&mut scratch)?);
    }
    if !pair.connection.wants_to_write() {
        say!(t, "the idle connection's memory: {} bytes", pair.memory);
    }
    Ok(())
}

/// A scratch buffer can be larger than this step's server makes it.
fn into_a_large_scratch(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    // More than 64 KiB have to find room before the connection reads.
    set_receive_buffer(&listener, 200_000)?;
    let mut pair = Pair::new(&listener)?;
    for count in program.verbs([25_000; 3]) {
        let sent = pair.send(count)?;
        wait_until_delivered(&pair.client, &pair.connection)?;
        say!(t, "the client sends {sent} bytes");
    }
    let echo = Verb::Echo { scratch: 100_000, has_room: false };
    let turn = without_room(|| pair.echo(&mut vec![0; 100_000]))??;
    say_turn(t, &echo.to_string(), turn);
    Ok(())
}

fn set_receive_buffer(socket: impl AsFd, bytes: libc::c_int) -> anyhow::Result<()> {
    let (fd, value) = (socket.as_fd().as_raw_fd(), &raw const bytes);
    let length = libc::socklen_t::try_from(size_of_val(&bytes))?;
    // SAFETY: the kernel reads `bytes`, which has this length.
    let set =
        unsafe { libc::setsockopt(fd, libc::SOL_SOCKET, libc::SO_RCVBUF, value.cast(), length) };
    check(set, || "setsockopt SO_RCVBUF".to_owned())?;
    Ok(())
}

/// Reports on two lines what a turn has read and what it has returned, because a mistake in the
/// read needs a different hint from a mistake in the result.
fn say_turn(t: Transcript, verb: &str, (progress, read): (io::Result<Progress>, String)) {
    say!(t, "{verb}: {read}");
    say!(t, "  echo returns {}", outcome(progress));
}
