//! A trial of what a transport does when there's room: it sends, resumes its protocol, and ends.

use std::cell::RefCell;
use std::fmt;
use std::fs;
use std::io::Read as _;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::rc::Rc;

use anyhow::Context;
use asyncio::{Error, EventLoop, EventLoopExt as _, Protocol, Result, Transport, VirtualClock};
use kit::errno_name;
use kit::loopback::{duplicate, is_readable};
use scene::{Program, Random, Transcript, say, trial};
use step01_fd::errno;

/// A protocol's action when it's resumed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Plan {
    Nothing,
    Write(usize),
    WriteEof,
    Close,
    Abort,
    Fail,
}

/// An event that affects a transport.
#[derive(Debug, Clone, Copy)]
pub(super) enum Act {
    Write(usize),
    /// The peer reads this many bytes.
    Read(usize),
    WriteEof,
    Close,
    Abort,
    /// The marks, the upper one first.
    Limits(usize, usize),
    /// The protocol's action at its next resumption.
    Plan(Plan),
    PeerLeaves,
    /// The socket is shut down behind the transport's back, so that each write fails.
    Break,
    Tick,
}

/// More than the kernel takes, so that some of it is unsent.
pub(super) const MUCH: usize = 400_000;

impl Act {
    fn random(random: &mut Random) -> Act {
        match random.below(32) {
            0..3 => Act::Write(random.choose(&[1, 1000, 70_000, MUCH])),
            3..10 => Act::Read(random.choose(&[1000, 200_000, MUCH, 4 * MUCH, 4 * MUCH])),
            10..12 => Act::WriteEof,
            12..14 => Act::Close,
            14 => random.choose(&[Act::Abort, Act::PeerLeaves, Act::Break, Act::Break]),
            15 => {
                let (high, low) =
                    random.choose(&[(0, 0), (MUCH, 0), (1000, 1000), (MUCH, 200_000)]);
                Act::Limits(high, low)
            }
            16..20 => Act::Plan(random.choose(&[
                Plan::Nothing,
                Plan::Write(1),
                Plan::Write(MUCH),
                Plan::WriteEof,
                Plan::Close,
                Plan::Abort,
                Plan::Fail,
            ])),
            _ => Act::Tick,
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Write(count) => write!(f, "write, {count} bytes"),
            Act::Read(count) => write!(f, "the peer reads up to {count} bytes"),
            Act::WriteEof => f.write_str("write_eof()"),
            Act::Close => f.write_str("close()"),
            Act::Abort => f.write_str("abort()"),
            Act::Limits(high, low) => write!(f, "set_write_buffer_limits({high}, {low})"),
            Act::Plan(plan) => write!(f, "when it's resumed, the protocol will {plan}"),
            Act::PeerLeaves => f.write_str("the peer leaves"),
            Act::Break => f.write_str("the socket is shut down"),
            Act::Tick => f.write_str("one tick"),
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Plan::Nothing => f.write_str("do nothing"),
            Plan::Write(count) => write!(f, "write {count} bytes"),
            Plan::WriteEof => f.write_str("call write_eof()"),
            Plan::Close => f.write_str("call close()"),
            Plan::Abort => f.write_str("call abort()"),
            Plan::Fail => f.write_str("fail"),
        }
    }
}

/// Prints each call that it gets and does what's planned.
struct Planned {
    t: Transcript,
    plan: RefCell<Plan>,
}

impl Protocol for Planned {
    fn eof_received(&self, _: &Transport) -> Result<bool> {
        Ok(true)
    }

    fn connection_lost(&self, error: Option<&Error>) -> Result<()> {
        let why = match error {
            None => "no error".to_owned(),
            Some(Error::Io(error)) => match errno(error) {
                Some(number) => errno_name(number),
                None => format!("{:?}", error.kind()),
            },
            Some(other) => other.to_string(),
        };
        say!(self.t, "  connection_lost: {why}");
        Ok(())
    }

    fn pause_writing(&self, transport: &Transport) -> Result<()> {
        say!(self.t, "  pause_writing, unsent: {}", transport.get_write_buffer_size());
        Ok(())
    }

    fn resume_writing(&self, transport: &Transport) -> Result<()> {
        say!(self.t, "  resume_writing, unsent: {}", transport.get_write_buffer_size());
        match self.plan.replace(Plan::Nothing) {
            Plan::Nothing => Ok(()),
            Plan::Write(count) => transport.write(&vec![b'?'; count]),
            Plan::WriteEof => transport.write_eof(),
            Plan::Close => {
                transport.close();
                Ok(())
            }
            Plan::Abort => {
                transport.abort();
                Ok(())
            }
            Plan::Fail => Err(Error::other("no more")),
        }
    }
}

/// A connection, and a peer that reads on demand.
pub(super) struct Stage {
    pub(super) event_loop: EventLoop,
    transport: Transport,
    protocol: Rc<Planned>,
    peer: Option<UnixStream>,
    /// Another descriptor of the transport's socket.
    ours: UnixStream,
}

impl Stage {
    pub(super) fn new(t: Transcript, pair: (UnixStream, UnixStream)) -> anyhow::Result<Self> {
        let event_loop = EventLoop::with_clock(VirtualClock::new())?;
        let (socket, peer) = pair;
        peer.set_nonblocking(true)?;
        let number = socket.as_raw_fd();
        let ours = socket.try_clone()?;
        event_loop.set_exception_handler(move |report| {
            let report = report.to_string().replace(&format!("fd {number}:"), "fd ours:");
            say!(t, "  reported: {report}");
        });
        let maker = event_loop.clone();
        let (transport, protocol) = event_loop.run_until_complete(async move {
            let factory = || Planned { t, plan: RefCell::new(Plan::Nothing) };
            maker.connect_accepted_socket(factory, socket).await
        })?;
        Ok(Stage { event_loop, transport, protocol, peer: Some(peer), ours })
    }

    pub(super) fn perform(&mut self, act: Act, t: Transcript) -> anyhow::Result<()> {
        let transport = &self.transport;
        say!(t, "{act}");
        let did = match act {
            Act::Write(count) => format!("{:?}", transport.write(&vec![b'!'; count])),
            Act::Read(count) => self.read(count),
            Act::WriteEof => format!("{:?}", transport.write_eof().is_ok()),
            Act::Close => {
                transport.close();
                "done".to_owned()
            }
            Act::Abort => {
                transport.abort();
                "done".to_owned()
            }
            Act::Limits(high, low) => {
                format!("{:?}", transport.set_write_buffer_limits(Some(high), Some(low)))
            }
            Act::Plan(plan) => {
                self.protocol.plan.replace(plan);
                "done".to_owned()
            }
            Act::PeerLeaves => format!("{}", self.peer.take().is_some()),
            Act::Break => format!("{}", self.ours.shutdown(std::net::Shutdown::Write).is_ok()),
            Act::Tick => {
                self.event_loop.stop();
                self.event_loop.run_forever()?;
                format!("closing: {}", transport.is_closing())
            }
        };
        say!(t, "  {did}; unsent: {}", self.transport.get_write_buffer_size());
        Ok(())
    }

    /// Reads up to `count` bytes and says how many, and what comes after them.
    fn read(&self, count: usize) -> String {
        let mut bytes = vec![0; count];
        let mut read = 0;
        let Some(mut peer) = self.peer.as_ref() else { return "no peer".to_owned() };
        while read < count {
            match peer.read(&mut bytes[read..]) {
                Ok(0) => return format!("{read} bytes and the end"),
                Ok(more) => read += more,
                Err(_) => break,
            }
        }
        format!("{read} bytes")
    }
}

/// Returns true if a wait of the process's loop would find something.
fn has_events() -> anyhow::Result<bool> {
    for entry in fs::read_dir("/proc/self/fd")? {
        let entry = entry?;
        // The directory's own is gone by then.
        let Ok(target) = fs::read_link(entry.path()) else { continue };
        if target.to_string_lossy() == "anon_inode:[eventpoll]" {
            let number = entry.file_name().to_string_lossy().parse()?;
            return Ok(is_readable(duplicate(number)?)?);
        }
    }
    None.context("the loop has an epoll object")
}

trial!(
    last_bytes_of_a_transport,
    60,
    "When there's room, a transport sends its bytes, resumes its protocol, and then carries out a close or write_eof."
);
fn last_bytes_of_a_transport(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let acts: Vec<Act> = (0..20).map(|_| Act::random(&mut random)).collect();
    let mut stage = Stage::new(t, UnixStream::pair()?)?;
    // With such limits, what's unsent doesn't pause the protocol.
    let limits = (program.number() % 4 == 3).then_some(Act::Limits(MUCH, 200_000));
    let first = limits.into_iter().chain([Act::Write(MUCH)]);
    for act in program.verbs(first.chain(acts)) {
        stage.perform(act, t)?;
    }
    for _ in 0..4 {
        for act in [Act::Read(4 * MUCH), Act::Tick] {
            stage.perform(act, t)?;
        }
    }
    if stage.peer.is_some() {
        say!(t, "a wait would report an event: {}", has_events()?);
    }
    say!(t, "the loop could sleep: {:?}", stage.event_loop.select_timeout());
    stage.event_loop.close()?;
    Ok(())
}
