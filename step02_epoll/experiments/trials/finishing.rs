//! Trials of `finish`, with every fate of a connection.

use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::fd::{AsFd, AsRawFd};

use kit::cost::within;
use kit::loopback::{unread_bytes, wait_for_the_end, wait_until_delivered};
use kit::{Observer, epoll_list, flags};
use scene::{Program, Transcript, say, trial};
use step01_fd::pipe;
use step02_epoll::{Connected, Connecting, Epoll, Interest, Trigger, connect};

use super::connecting::{At, refusal};
use super::local_server::replace;
use super::{ERRORS, in_words, outcome, same};

/// The event that affects an attempt before `finish` looks at it.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Nothing(At),
    /// The listener has accepted the connection and sent this many bytes.
    Bytes(usize),
    PeerClosed,
    PeerShutDown,
    Reset,
    /// At the first `finish`, the connection is in progress; then another socket takes the place of
    /// its socket.
    ReportedTooEarly(At),
    NoSocket,
}

const FATES: [Fate; 12] = [
    Fate::Nothing(At::Listener),
    Fate::Nothing(At::NoListener),
    Fate::Nothing(At::FullQueue),
    Fate::Bytes(2),
    Fate::Bytes(5000),
    Fate::PeerClosed,
    Fate::PeerShutDown,
    Fate::Reset,
    Fate::ReportedTooEarly(At::Listener),
    Fate::ReportedTooEarly(At::NoListener),
    Fate::ReportedTooEarly(At::FullQueue),
    Fate::NoSocket,
];

trial!(
    every_outcome_of_a_connection,
    4,
    "finish returns what the kernel says about a connection: made, in progress, or failed."
);
fn every_outcome_of_a_connection(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let observer = Observer::new()?;
    // The first program meets each fate once.
    let fates = (0..FATES.len()).map(|index| match program.number() {
        0 => FATES[index],
        _ => random.choose(&FATES),
    });
    for fate in program.verbs(fates) {
        let ip = Ipv4Addr::LOCALHOST;
        let at = match fate {
            Fate::Nothing(at) => at,
            Fate::ReportedTooEarly(_) => At::FullQueue,
            _ => At::Listener,
        };
        let destination = at.make(ip)?;
        let connecting = connect(destination.address())?;
        destination.wait_for_the_outcome(&connecting)?;
        let epoll = Epoll::new()?;
        epoll.add(&connecting, 7, Interest::WRITABLE, Trigger::Level)?;
        let mut attempt = Attempt { observer: &observer, epoll: &epoll, t };
        match fate {
            Fate::Nothing(_) => {
                attempt.finish(&format!("connect to {at}"), connecting)?;
            }
            Fate::Bytes(count) => {
                let mut peer = destination.accept()?;
                peer.write_all(&vec![b'x'; count])?;
                wait_until_delivered(&peer, &connecting)?;
                attempt.finish(&format!("connect, and {count} bytes arrive"), connecting)?;
            }
            Fate::PeerClosed => {
                drop(destination.accept()?);
                wait_for_the_end(&connecting)?;
                attempt.finish("connect, and the peer closes", connecting)?;
            }
            Fate::PeerShutDown => {
                let peer = destination.accept()?;
                peer.shutdown(std::net::Shutdown::Write)?;
                wait_for_the_end(&connecting)?;
                attempt.finish("connect, and the peer shuts down its writing side", connecting)?;
            }
            Fate::Reset => {
                let peer = destination.accept()?;
                let mut ours = TcpStream::from(connecting.as_fd().try_clone_to_owned()?);
                ours.write_all(b"x")?;
                peer.peek(&mut [0])?;
                // With a byte unread.
                drop(peer);
                wait_for_the_end(&ours)?;
                drop(ours);
                attempt.finish("connect, and the peer resets the connection", connecting)?;
            }
            Fate::ReportedTooEarly(then) => {
                let happens = format!("connect to {at}");
                let Some(connecting) = attempt.finish(&happens, connecting)? else { continue };
                let second = then.make(ip)?;
                let by = connect(second.address())?;
                second.wait_for_the_outcome(&by)?;
                let fd = connecting.as_fd().as_raw_fd();
                replace(fd, &by)?;
                drop(by);
                let happens = format!("  the socket now belongs to a connection to {then}");
                attempt.finish(&happens, connecting)?;
            }
            Fate::NoSocket => {
                replace(connecting.as_fd().as_raw_fd(), pipe()?.0)?;
                attempt.finish(
                    "connect, and the socket's descriptor refers to another object",
                    connecting,
                )?;
            }
        }
    }
    Ok(())
}

struct Attempt<'a> {
    observer: &'a Observer,
    epoll: &'a Epoll,
    t: Transcript,
}

impl Attempt<'_> {
    /// Finishes a connection, describes the outcome, and returns the connection if it's still in
    /// progress.
    fn finish(
        &mut self,
        happens: &str,
        connecting: Connecting,
    ) -> anyhow::Result<Option<Connecting>> {
        let (t, number) = (self.t, connecting.as_fd().as_raw_fd());
        let (finished, calls) = self.observer.calls_of(|| connecting.finish());
        say!(t, "{happens}, then finish");
        say!(t, "  finish returns {}", returned(&finished));
        say_cost(t, &finished, calls);
        match finished {
            Err(_) => Ok(None),
            Ok(Connected::Yes(stream)) => {
                let unread = unread_bytes(&stream)?;
                say!(t, "  its stream is {} and has {unread} unread bytes", flags(&stream)?);
                Ok(None)
            }
            Ok(Connected::NotYet(connecting)) => {
                let is_same = connecting.as_fd().as_raw_fd() == number;
                let socket = if is_same { "the same socket" } else { "another descriptor" };
                let is_known = !epoll_list(self.epoll)?.is_empty();
                let known = if is_known { "registered" } else { "not registered" };
                say!(t, "  finish returns {socket}: {}, {known}", flags(&connecting)?);
                Ok(Some(connecting))
            }
        }
    }
}

fn returned(finished: &io::Result<Connected>) -> String {
    match finished {
        Ok(Connected::Yes(_)) => "Ok(Yes)".to_owned(),
        Ok(Connected::NotYet(_)) => "Ok(NotYet)".to_owned(),
        Err(error) => outcome::<()>(Err(same(error))),
    }
}

/// Reports the cost of `finish`.
fn say_cost(t: Transcript, finished: &io::Result<Connected>, calls: usize) {
    // After an error the socket is closed, and some builds first ask whether it's open.
    let allowed = if finished.is_ok() { 2 } else { 4 };
    say!(t, "  system calls of finish: {}", within(calls, allowed));
}

trial!(
    questions_that_fail,
    1,
    "finish returns the error of any call that asks about the connection, except getpeername's ENOTCONN."
);
fn questions_that_fail(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let observer = Observer::new()?;
    let destination = At::Listener.make(Ipv4Addr::LOCALHOST)?;
    let calls = [("SO_ERROR", libc::SYS_getsockopt), ("the peer's address", libc::SYS_getpeername)];
    // A reader sees the last one that shows the mistake, so the odd ones come first.
    let odd_ones = [libc::EINTR, libc::EAGAIN, libc::EALREADY];
    let errnos = odd_ones.into_iter().chain(ERRORS.iter().copied());
    let questions = errnos.flat_map(|errno| calls.map(|(what, call)| (what, call, errno)));
    for (what, call, errno) in program.verbs(questions) {
        let connecting = connect(destination.address())?;
        destination.wait_for_the_outcome(&connecting)?;
        let finish = || connecting.finish();
        let (finished, calls) = observer.refusing(&refusal(call, errno), 0, finish);
        let says = in_words(errno);
        say!(t, "connect, then finish, whose request for {what} fails: {says}");
        let no_peer = (call, errno) == (libc::SYS_getpeername, libc::ENOTCONN);
        let right = if no_peer { "Ok(NotYet)".to_owned() } else { format!("Err({says})") };
        let returned = returned(&finished);
        // Nobody has to ask a socket with a peer for its error.
        if observer.has_refused() && returned != right {
            say!(t, "  finish asks but returns {returned}");
        } else if !observer.has_refused() && returned != "Ok(Yes)" {
            say!(t, "  finish doesn't ask and returns {returned}");
        } else {
            say!(t, "  finish asks and returns {right}, or doesn't ask and returns Ok(Yes)");
        }
        say_cost(t, &finished, calls);
        drop(finished);
        drop(destination.accept()?);
    }
    Ok(())
}
