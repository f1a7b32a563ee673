//! Trials of starting a connection.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::os::fd::AsFd;

use kit::cost::within;
use kit::destination::Destination;
use kit::{Observer, Refusal, errnos, flags};
use scene::{Program, Random, Transcript, say, trial};
use step02_epoll::{Connecting, Epoll, Events, Interest, Trigger, connect};

use super::waits::NOW;
use super::{in_words, outcome, same};

/// The kind of listener at an address, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    Listener,
    NoListener,
    FullQueue,
}

impl At {
    pub(super) fn make(self, ip: Ipv4Addr) -> io::Result<Destination> {
        match self {
            At::Listener => Destination::listening(ip),
            At::NoListener => Destination::refusing(ip),
            At::FullQueue => Destination::full(ip),
        }
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            At::Listener => "a listener",
            At::NoListener => "a port without a listener",
            At::FullQueue => "a listener whose queue is full",
        })
    }
}

/// A system call that fails once, with this errno.
pub(super) fn refusal(call: libc::c_long, errno: i32) -> [Refusal; 1] {
    [Refusal { call, argument: None, errno }]
}

trial!(
    connects_to_any_address,
    12,
    "connect starts a connection and doesn't wait for it to succeed or fail."
);
/// Every address in 127.0.0.0/8 is this machine's own.
fn connects_to_any_address(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..6).map(|_| verb(&mut random)));
    let observer = Observer::new()?;
    let mut started = Vec::new();
    for (at, ip) in verbs {
        let destination = at.make(ip)?;
        let (connecting, calls) = observer.calls_of(|| connect(destination.address()));
        let cost = within(calls, 2);
        say!(t, "connect to {at} at {ip}: {}; system calls: {cost}", started_or_not(&connecting));
        let Ok(connecting) = connecting else { continue };
        say!(t, "  its socket is {}", flags(&connecting)?);
        destination.wait_for_the_outcome(&connecting)?;
        say!(
            t,
            "  epoll reports {}, SO_ERROR is {}",
            reported(&connecting)?,
            so_error(&connecting)?
        );
        if at == At::Listener {
            let client = destination.accept()?.peer_addr()?;
            let is_ours = socket_of(&connecting)?.local_addr()? == client;
            say!(
                t,
                "  the listener accepts {}",
                if is_ours { "this client" } else { "another client" }
            );
        }
        started.push((connecting, destination));
    }
    Ok(())
}

fn verb(random: &mut Random) -> (At, Ipv4Addr) {
    let ips = [Ipv4Addr::LOCALHOST, Ipv4Addr::new(127, 0, 0, 2), Ipv4Addr::new(127, 1, 2, 3)];
    (random.choose(&[At::Listener, At::NoListener, At::FullQueue]), random.choose(&ips))
}

fn started_or_not(result: &io::Result<Connecting>) -> String {
    match result {
        // It holds a descriptor's number, which is up to the kernel.
        Ok(_) => "Ok".to_owned(),
        Err(error) => outcome::<()>(Err(same(error))),
    }
}

fn reported(connecting: &Connecting) -> io::Result<String> {
    let epoll = Epoll::new()?;
    epoll.add(connecting, 0, Interest::WRITABLE, Trigger::Level)?;
    let mut events = Events::with_capacity(1);
    epoll.wait(&mut events, NOW)?;
    let event = events.iter().next().map(|event| format!("{event:?}"));
    let bits = event.as_ref().and_then(|event| event.split_once("bits: "));
    Ok(bits.map_or("nothing", |(_, bits)| bits.trim_end_matches(" }")).to_owned())
}

fn so_error(connecting: &Connecting) -> io::Result<String> {
    let errno = socket_of(connecting)?.take_error()?.and_then(|error| error.raw_os_error());
    Ok(errno.map_or_else(|| "clear".to_owned(), |errno| format!("\"{}\"", in_words(errno))))
}

/// Returns a duplicate of the socket as a `TcpStream`, which has more methods than `Connecting`.
fn socket_of(connecting: &Connecting) -> io::Result<TcpStream> {
    Ok(connecting.as_fd().try_clone_to_owned()?.into())
}

trial!(
    every_answer_of_connect,
    1,
    "After 0, EINPROGRESS or EINTR, a connection is made or on its way; every other answer is an error."
);
fn every_answer_of_connect(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let observer = Observer::new()?;
    let destination = Destination::listening(Ipv4Addr::LOCALHOST)?;
    let one_fails = |call, errno| {
        let start = || connect(destination.address());
        let (connecting, calls) = observer.refusing(&refusal(call, errno), 0, start);
        // After an error, the socket is closed, and some builds first ask whether it's open.
        let budget = if connecting.is_ok() { 2 } else { 4 };
        (started_or_not(&connecting), within(calls, budget))
    };
    for errno in program.verbs([0].into_iter().chain(errnos())) {
        let (connecting, cost) = one_fails(libc::SYS_connect, errno);
        let says = if errno == 0 {
            "\"connected\"".to_owned()
        } else {
            format!("\"{}\"", in_words(errno))
        };
        say!(
            t,
            "connect(2) reports {says} once: connect returns {connecting}; system calls: {cost}"
        );
    }
    for errno in program.verbs([libc::EMFILE, libc::ENFILE, libc::ENOBUFS, libc::EACCES]) {
        let (connecting, cost) = one_fails(libc::SYS_socket, errno);
        let says = in_words(errno);
        say!(
            t,
            "socket(2) fails with \"{says}\": connect returns {connecting}; system calls: {cost}"
        );
    }
    // TCP connects to no group of machines.
    for ip in program.verbs([Ipv4Addr::BROADCAST, Ipv4Addr::new(224, 0, 0, 1)]) {
        say!(t, "connect to {ip}: {}", started_or_not(&connect(SocketAddrV4::new(ip, 9))));
    }
    // These two look wrong, but what an address means is the kernel's business.
    let here = SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, destination.address().port());
    let nowhere = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0);
    for (what, address) in program.verbs([("0.0.0.0", here), ("port 0", nowhere)]) {
        say!(t, "connect to {what}: {}", started_or_not(&connect(address)));
    }
    Ok(())
}
