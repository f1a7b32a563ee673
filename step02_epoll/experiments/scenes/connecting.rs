//! Connections that are made while the loop does other work.

use std::io;
use std::net::{Ipv4Addr, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use kit::destination::{Destination, call_connect, tcp_socket};
use kit::loopback::wait_until_writable;
use kit::{Sleeper, count_signals};
use scene::{Transcript, say, scene};
use step02_epoll::{Connected, Epoll, Events, Interest, Trigger, connect};

use super::errors::answer;

/// Makes a listener, a port without a listener, and a listener whose queue is full.
fn destinations() -> io::Result<[(&'static str, Destination); 3]> {
    let ip = Ipv4Addr::LOCALHOST;
    Ok([
        ("a listener", Destination::listening(ip)?),
        ("a port without a listener", Destination::refusing(ip)?),
        ("a listener whose queue is full", Destination::full(ip)?),
    ])
}

scene!(
    three_connects,
    "Which of these can connect(2) tell apart: a listener, a port without a listener, a listener whose queue is full?"
);
/// `connect(2):     Operation now in progress (os error 115)`, for all three: on a non-blocking
/// socket, `connect` only starts the connection, and the kernel does the rest. The socket becomes
/// writable once the attempt has succeeded or failed, and `SO_ERROR` says which. Asking for the
/// error also clears it: `and once more:  no error`. While the queue is full, there's no outcome
/// yet, and epoll reports nothing.
fn three_connects(t: Transcript) -> anyhow::Result<()> {
    for (name, destination) in destinations()? {
        say!(t, "{name}");
        let bare = call_connect(&non_blocking_socket()?, destination.address());
        say!(t, "  connect(2):     {}", answer(bare));
        let connecting = connect(destination.address())?;
        destination.wait_for_the_outcome(&connecting)?;
        let epoll = Epoll::new()?;
        epoll.add(&connecting, 1, Interest::WRITABLE, Trigger::Level)?;
        say!(t, "  epoll reports:  {}", reported(&epoll)?);
        // A question to the same socket, past our layer.
        let socket = TcpStream::from(connecting.as_fd().try_clone_to_owned()?);
        let first = socket.take_error()?;
        say!(t, "  SO_ERROR:       {}", so_error(first.as_ref()));
        if first.is_some() {
            say!(t, "  and once more:  {}", so_error(socket.take_error()?.as_ref()));
        }
    }
    Ok(())
}

/// Waits with a timeout of zero and returns the kernel's bits.
fn reported(epoll: &Epoll) -> io::Result<String> {
    let mut events = Events::with_capacity(1);
    epoll.wait(&mut events, Some(Duration::ZERO))?;
    let Some(event) = events.iter().next() else { return Ok("nothing".to_string()) };
    let event = format!("{event:?}");
    Ok(event.trim_start_matches("Event { token: 1, bits: ").trim_end_matches(" }").to_string())
}

fn so_error(error: Option<&io::Error>) -> String {
    error.map_or_else(|| "no error".to_string(), io::Error::to_string)
}

scene!(
    connecting_twice,
    "A signal interrupts connect(2). Should you call it again, as you would after an interrupted read(2)?"
);
/// `again, non-blocking:       Operation already in progress (os error 114)`: the signal ended the
/// call but not the attempt, which the kernel continues. So don't call `connect` again after
/// `EINTR`; wait until the socket is writable, as after `EINPROGRESS`. A second call then only
/// fetches the outcome: `ok` or `Connection refused (os error 111)`. After an `ok`, the next call
/// fails: `Transport endpoint is already connected (os error 106)`.
fn connecting_twice(t: Transcript) -> anyhow::Result<()> {
    let [(_, listening), (_, refusing), (_, full)] = destinations()?;

    let socket = non_blocking_socket()?;
    let again = |to: &Destination| answer(call_connect(&socket, to.address()));
    say!(t, "a listener:            {}", again(&listening));
    wait_until_writable(&socket)?;
    say!(t, "  again, once it's writable: {}", again(&listening));
    say!(t, "  and again:                 {}", again(&listening));

    let socket = non_blocking_socket()?;
    let again = |to: &Destination| answer(call_connect(&socket, to.address()));
    say!(t, "without a listener:    {}", again(&refusing));
    wait_until_writable(&socket)?;
    say!(t, "  again, once it's writable: {}", again(&refusing));

    let socket = TcpStream::from(tcp_socket()?);
    let (duplicate, address) = (socket.try_clone()?, full.address());
    count_signals()?;
    let sleeper = Sleeper::start(move || answer(call_connect(duplicate, address)))?;
    sleeper.wait_until_asleep()?;
    say!(t, "interrupted:           {}", sleeper.interrupted()?);
    socket.set_nonblocking(true)?;
    say!(t, "  again, non-blocking:       {}", answer(call_connect(&socket, address)));
    Ok(())
}

scene!(connected_or_not, "A socket is reported as writable. Is it connected?");
/// `a port without a listener: Err(ConnectionRefused)`: a socket becomes writable when the attempt
/// to connect is over, and a refusal ends it, too. `finish` asks the kernel for `SO_ERROR` and
/// finds the refusal there. While the queue is full, the socket has neither an error nor a peer, so
/// `finish` answers `NotYet` and returns `the same socket`, for which you wait again.
fn connected_or_not(t: Transcript) -> anyhow::Result<()> {
    for (name, destination) in destinations()? {
        let connecting = connect(destination.address())?;
        destination.wait_for_the_outcome(&connecting)?;
        let fd = connecting.as_fd().as_raw_fd();
        let outcome = connecting.finish();
        say!(t, "{name}: {}", in_words(&outcome));
        match outcome {
            Ok(Connected::Yes(stream)) => {
                let peer = stream.peer_addr().map(|peer| peer == destination.address().into());
                let peer =
                    peer.map_or("none", |is_it| if is_it { "the listener" } else { "another" });
                say!(t, "  its stream's peer: {}", peer);
            }
            Ok(Connected::NotYet(connecting)) => {
                let is_same = connecting.as_fd().as_raw_fd() == fd;
                let socket = if is_same { "the same socket" } else { "another descriptor" };
                say!(t, "  we get back:       {}", socket);
            }
            Err(_) => {}
        }
    }
    Ok(())
}

fn in_words(outcome: &io::Result<Connected>) -> String {
    match outcome {
        Ok(Connected::Yes(_)) => "Yes".to_string(),
        Ok(Connected::NotYet(_)) => "NotYet".to_string(),
        Err(error) => format!("Err({:?})", error.kind()),
    }
}

fn non_blocking_socket() -> io::Result<TcpStream> {
    let socket = TcpStream::from(tcp_socket()?);
    socket.set_nonblocking(true)?;
    Ok(socket)
}
