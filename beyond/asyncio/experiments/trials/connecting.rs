//! Trials of connecting: addresses that answer, refuse or stay silent, in any order.

use std::fmt;
use std::future::{Future, poll_fn};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use asyncio::{
    Error, EventLoop, Result, TcpStream, VirtualClock, connect_tcp, create_task, get_running_loop,
    sleep, timeout, yield_now,
};
use kit::cost::open_descriptors;
use kit::destination::Destination;
use kit::loopback::is_readable;
use kit::{Observer, Refusal, errno_name, flags};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, getsockname, socket_with};
use scene::{Program, Random, Transcript, say, trial};
use step01_fd::errno;

use super::parts::ticks;

/// The behaviour of an address.
#[derive(Debug, Clone, Copy)]
enum AddressKind {
    Listens,
    Refuses,
    /// Refuses or, without IPv6, can't be reached.
    RefusesOnIpv6,
    /// The kernel knows at once that there's no way to it.
    Unreachable,
    /// The same address as the one before it.
    Again,
}

impl AddressKind {
    fn random(random: &mut Random) -> AddressKind {
        random.choose(&[
            AddressKind::Listens,
            AddressKind::Refuses,
            AddressKind::Refuses,
            AddressKind::Unreachable,
            AddressKind::Again,
        ])
    }
}

impl fmt::Display for AddressKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AddressKind::Listens => "a server listens",
            AddressKind::Refuses => "no server listens",
            AddressKind::RefusesOnIpv6 => "no server listens, IPv6",
            AddressKind::Unreachable => "unreachable",
            AddressKind::Again => "the previous address again, if there's one",
        })
    }
}

/// An address, with the sockets that guarantee the outcome of connecting to it.
enum Endpoint {
    Listening(TcpListener, SocketAddr),
    Other(Destination),
    /// A socket that only holds the port.
    Bound {
        address: SocketAddr,
        _socket: OwnedFd,
    },
    Fixed(SocketAddr),
}

impl Endpoint {
    fn new(kind: AddressKind, before: Option<SocketAddr>) -> anyhow::Result<Endpoint> {
        Ok(match (kind, before) {
            (AddressKind::Again, Some(before)) => Endpoint::Fixed(before),
            (AddressKind::Unreachable, _) => {
                Endpoint::Fixed(SocketAddr::from(([127, 255, 255, 255], 9)))
            }
            (AddressKind::RefusesOnIpv6, _) => {
                let address = (Ipv6Addr::LOCALHOST, 9).into();
                bound_on_ipv6().unwrap_or(Endpoint::Fixed(address))
            }
            (AddressKind::Listens, _) => {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
                listener.set_nonblocking(true)?;
                let address = listener.local_addr()?;
                Endpoint::Listening(listener, address)
            }
            _ => Endpoint::Other(Destination::refusing(Ipv4Addr::LOCALHOST)?),
        })
    }

    fn address(&self) -> SocketAddr {
        match self {
            Endpoint::Listening(_, address)
            | Endpoint::Bound { address, .. }
            | Endpoint::Fixed(address) => *address,
            Endpoint::Other(destination) => destination.address().into(),
        }
    }

    /// Returns true if this address has more than one client.
    fn has_several_clients(&self) -> anyhow::Result<bool> {
        let Endpoint::Listening(listener, address) = self else { return Ok(false) };
        // Ours comes last. It's certain to arrive, and those before it have arrived by then.
        let _ours = std::net::TcpStream::connect(address)?;
        while !is_readable(listener)? {
            std::thread::yield_now();
        }
        Ok(std::iter::from_fn(|| listener.accept().ok()).count() > 2)
    }

    /// Returns true if a connection to this address was made.
    fn has_a_client(&self) -> bool {
        matches!(self, Endpoint::Listening(listener, _) if listener.accept().is_ok())
    }
}

/// Binds a port without listening on it, if the machine has IPv6.
fn bound_on_ipv6() -> Option<Endpoint> {
    let (family, flags) = (AddressFamily::INET6, SocketFlags::CLOEXEC);
    let socket = socket_with(family, SocketType::STREAM, flags, None).ok()?;
    bind(&socket, &SocketAddr::from((Ipv6Addr::LOCALHOST, 0))).ok()?;
    let address = SocketAddr::try_from(getsockname(&socket).ok()?).ok()?;
    Some(Endpoint::Bound { address, _socket: socket })
}

/// Words for an outcome, in which an address is its place in the list.
struct Said(Result<TcpStream>, Vec<SocketAddr>);

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Said(outcome, addresses) = self;
        match outcome {
            Ok(stream) => {
                let peer = stream.peer_addr().ok();
                let place = addresses.iter().position(|address| Some(*address) == peer);
                let flags = flags(stream).unwrap_or_default();
                write!(f, "connected to address {}, {flags}", place.unwrap_or(999))
            }
            Err(Error::Io(error)) if error.kind() == ErrorKind::TimedOut => f.write_str("TimedOut"),
            Err(error) => {
                let mut text = error.to_string();
                for (place, address) in addresses.iter().enumerate() {
                    text = text.replace(&address.to_string(), &format!("address {place}"));
                }
                f.write_str(&text)?;
                match error {
                    Error::Io(error) => {
                        write!(f, "; {:?}, {}", error.kind(), errno_name(errno(error)))
                    }
                    _ => Ok(()),
                }
            }
        }
    }
}

/// Connects on a loop and says how that ends.
fn connect(addresses: Vec<SocketAddr>) -> anyhow::Result<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    let said = event_loop.run_until_complete(async move {
        let outcome = connect_tcp(addresses.clone()).await;
        Ok(Said(outcome, addresses).to_string())
    })?;
    event_loop.close()?;
    Ok(said)
}

trial!(
    attempts_in_turn,
    62,
    "Each address is tried only after the previous one has failed, until one answers."
);
fn attempts_in_turn(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let kinds: Vec<AddressKind> = match program.number() % 62 {
        60 => vec![AddressKind::RefusesOnIpv6, AddressKind::Refuses],
        61 => vec![AddressKind::Unreachable, AddressKind::RefusesOnIpv6, AddressKind::Listens],
        _ => (0..=random.below(5)).map(|_| AddressKind::random(&mut random)).collect(),
    };
    let kinds = program.verbs(kinds);
    let mut endpoints: Vec<Endpoint> = Vec::new();
    for (number, &kind) in kinds.iter().enumerate() {
        let endpoint = Endpoint::new(kind, endpoints.last().map(Endpoint::address))?;
        say!(t, "address {number}: {kind}");
        endpoints.push(endpoint);
    }
    if endpoints.is_empty() {
        return Ok(());
    }
    let addresses: Vec<SocketAddr> = endpoints.iter().map(Endpoint::address).collect();
    say!(t, "connect: {}", connect(addresses)?);
    let first = endpoints.iter().position(|endpoint| matches!(endpoint, Endpoint::Listening(..)));
    for (number, endpoint) in endpoints.iter().enumerate() {
        if Some(number) != first && endpoint.has_a_client() {
            say!(t, "address {number} also has a client");
        }
    }
    Ok(())
}

/// An end of an attempt that has nothing to do with its address.
#[derive(Clone, Copy)]
enum End {
    CancelledAfterTicks(u32),
    Dropped,
    OutOfTime,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::CancelledAfterTicks(1) => f.write_str("cancelled after 1 tick"),
            End::CancelledAfterTicks(ticks) => write!(f, "cancelled after {ticks} ticks"),
            End::Dropped => f.write_str("dropped 3 ticks after its only poll"),
            End::OutOfTime => f.write_str("limited to an hour"),
        }
    }
}

/// A call that fails in the first attempt: its name, its number, its errno, and how many of its
/// kind come before.
type Fault = (&'static str, libc::c_long, i32, usize);

const FAULTS: [Fault; 5] = [
    ("socket", libc::SYS_socket, libc::EMFILE, 0),
    ("connect", libc::SYS_connect, libc::EAGAIN, 0),
    ("connect", libc::SYS_connect, libc::EADDRNOTAVAIL, 0),
    // The loop has registered its own descriptor before.
    ("epoll_ctl", libc::SYS_epoll_ctl, libc::ENOSPC, 1),
    // Then the event was one that proves nothing.
    ("getpeername", libc::SYS_getpeername, libc::ENOTCONN, 0),
];

trial!(
    ends_of_an_attempt,
    1,
    "An attempt can fail in any of its calls, be cancelled or run out of time, but it leaves no \
     descriptor behind."
);
fn ends_of_an_attempt(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let silent = Destination::full(Ipv4Addr::LOCALHOST)?;
    for end in program.verbs([
        End::CancelledAfterTicks(0),
        End::CancelledAfterTicks(1),
        End::CancelledAfterTicks(5),
        End::Dropped,
        End::OutOfTime,
    ]) {
        let next = Endpoint::new(AddressKind::Listens, None)?;
        let addresses = vec![silent.address().into(), next.address()];
        say!(t, "the first address is silent; {end}: {}", given_up(end, addresses)?);
        say!(t, "the second address has a client: {}", next.has_a_client());
    }
    let observer = Observer::new()?;
    for (name, call, errno, spared) in program.verbs(FAULTS) {
        let endpoints = [
            Endpoint::new(AddressKind::Listens, None)?,
            Endpoint::new(AddressKind::Listens, None)?,
        ];
        let addresses: Vec<SocketAddr> = endpoints.iter().map(Endpoint::address).collect();
        let refusal = Refusal { call, argument: None, errno };
        let connect = || connect(addresses).map_err(|error| error.to_string());
        let (said, _) = observer.refusing(&[refusal], spared, connect);
        let said = said.map_err(anyhow::Error::msg)?;
        say!(t, "{name} fails once with {}: {said}", errno_name(errno));
        let one = [endpoints[0].address()].to_vec();
        let connect = || self::connect(one).map_err(|error| error.to_string());
        let (said, _) = observer.refusing(&[refusal], spared, connect);
        let said = said.map_err(anyhow::Error::msg)?;
        let said = said.split_once(" fd ").map_or(said.as_str(), |(call, _)| call);
        say!(
            t,
            "{name} fails once with {}, and there's only one address: {said}",
            errno_name(errno)
        );
    }
    for count in program.verbs([1, 3]) {
        let endpoint = Endpoint::new(AddressKind::Listens, None)?;
        let addresses = vec![endpoint.address(); count];
        let mut connecting = pin!(connect_tcp(addresses.clone()));
        let said = match connecting.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => Said(outcome, addresses).to_string(),
            Poll::Pending => "would wait".to_owned(),
        };
        say!(t, "the same address {count} times, outside a loop: {said}");
        say!(t, "the address has several clients: {}", endpoint.has_several_clients()?);
    }
    for () in program.verbs([()]) {
        let endpoint = Endpoint::new(AddressKind::Listens, None)?;
        say!(t, "a cancelled task connects in its clean-up: {}", clean_up(endpoint.address())?);
    }
    Ok(())
}

/// Connects in a task that was cancelled while it slept.
fn clean_up(address: SocketAddr) -> anyhow::Result<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    let said = event_loop.run_until_complete(async move {
        let task = create_task(async move {
            let _ = sleep(Duration::from_hours(1)).await;
            Ok(Said(connect_tcp(address).await, vec![address]).to_string())
        })?;
        yield_now().await?;
        task.cancel();
        task.await
    })?;
    event_loop.close()?;
    Ok(said)
}

/// Connects, and doesn't wait for an answer.
fn given_up(end: End, addresses: Vec<SocketAddr>) -> anyhow::Result<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    let said = event_loop.run_until_complete(async move {
        let before = open_descriptors()?;
        let said = match end {
            End::Dropped => dropped(addresses).await?,
            End::OutOfTime => {
                let patience = Duration::from_hours(1);
                let outcome = timeout(patience)?.run(connect_tcp(addresses.clone())).await;
                Said(outcome, addresses).to_string()
            }
            End::CancelledAfterTicks(ticks) => cancelled(addresses, ticks).await?,
        };
        // When the loop is closed, it's too late to ask: that ends whatever is left.
        let left = open_descriptors()?.saturating_sub(before);
        Ok(format!("{said}; sockets left open: {left}"))
    })?;
    event_loop.close()?;
    Ok(said)
}

/// Polls an attempt once, lets the loop run, and drops the attempt.
async fn dropped(addresses: Vec<SocketAddr>) -> Result<String> {
    let mut connecting = pin!(connect_tcp(addresses));
    let waits =
        poll_fn(|context| Poll::Ready(connecting.as_mut().poll(context).is_pending())).await;
    ticks(3).await?;
    Ok(format!("the call waits: {waits}"))
}

/// Cancels a task that connects, after some ticks.
async fn cancelled(addresses: Vec<SocketAddr>, ticks: u32) -> Result<String> {
    let task = create_task(async move {
        let outcome = connect_tcp(addresses.clone()).await;
        Ok(Said(outcome, addresses).to_string())
    })?;
    for _ in 0..ticks {
        yield_now().await?;
    }
    let event_loop = get_running_loop()?;
    let question = event_loop.create_future();
    let (answer, inner) = (question.clone(), event_loop.clone());
    event_loop.call_soon(move || drop(answer.set_result(inner.select_timeout())));
    // Only a task that waits leaves the queue empty.
    let sleeps = if ticks > 0 { question.await? } else { None };
    let cancelled = task.cancel();
    // A task that's cancelled before it has begun never begins.
    let said = task.await.unwrap_or_else(|error| error.to_string());
    Ok(format!("the loop could sleep: {sleeps:?}; cancel() = {cancelled}; {said}"))
}
