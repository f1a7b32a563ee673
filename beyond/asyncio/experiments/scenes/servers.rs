//! A server's end, and a client's choice of addresses.

use std::cell::Cell;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::rc::Rc;
use std::time::Duration;

use asyncio::{
    Error, EventLoop, Result, Server, StreamReader, StreamWriter, VirtualClock, open_connection,
    run, start_server,
};
use kit::destination::Destination;
use kit::loopback::connect;
use kit::without_free_descriptors;
use scene::{Transcript, say, scene};

scene!(
    a_server_is_closed,
    "A server is closed while a client is connected. Which clients does the server serve after that?"
);
/// `close()` only stops the listening, so the kernel refuses new connections: `a new client:
/// refused`. The connected client has a socket of its own, and the server goes on serving it: `the
/// client reads: still there?`. `wait_closed()` waits until the last client has left, in asyncio
/// since 3.12.1.
fn a_server_is_closed(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let server = start_server(echo, ("127.0.0.1", 0)).await?;
        let address = server.local_addrs()?[0];
        let (mut reader, writer) = open_connection(address).await?;
        say!(t, "the client reads: {}", ask(&mut reader, &writer, "hello\n").await?);
        say!(t, "is_serving: {}, sockets: {}", server.is_serving(), server.sockets().len());
        server.close();
        say!(t, "is_serving: {}, sockets: {}", server.is_serving(), server.sockets().len());
        say!(t, "a new client: {}", attempt(address).await);
        say!(t, "the client reads: {}", ask(&mut reader, &writer, "still there?\n").await?);
        writer.close();
        writer.wait_closed().await?;
        server.wait_closed().await?;
        say!(t, "the client has left, and the server's wait_closed has returned");
        Ok(())
    })?;
    Ok(())
}

async fn echo(mut reader: StreamReader, writer: StreamWriter) -> Result<()> {
    while let Some(line) = reader.next_line().await? {
        writer.write(&line)?;
        writer.drain().await?;
    }
    Ok(())
}

async fn ask(reader: &mut StreamReader, writer: &StreamWriter, line: &str) -> Result<String> {
    writer.write(line.as_bytes())?;
    writer.drain().await?;
    Ok(String::from_utf8_lossy(&reader.readline().await?).trim_end().to_owned())
}

scene!(
    a_name_with_two_addresses,
    "A name has several addresses, but no server listens on the first one. What does open_connection do?"
);
/// `open_connection` tries the addresses in turn and goes on after an error. It's enough if one of
/// them answers: `two refusing addresses and a listener: connected to the listener = true`. If all
/// of them fail, you get all the errors, under asyncio's wording: `two refusing addresses: Multiple
/// exceptions`. A single address fails with its own error: `a refusing address: refused`.
fn a_name_with_two_addresses(t: Transcript) -> anyhow::Result<()> {
    let ip = Ipv4Addr::LOCALHOST;
    let (one, other) = (Destination::refusing(ip)?, Destination::refusing(ip)?);
    let listening = Destination::listening(ip)?;
    let [one, other, good] = [&one, &other, &listening].map(|it| SocketAddr::from(it.address()));
    run(async move {
        say!(t, "a refusing address: {}", attempt(one).await);
        say!(t, "two refusing addresses: {}", attempt(vec![one, other]).await);
        let (_reader, writer) = open_connection(vec![one, other, good]).await?;
        let is_third = writer.peer_addr()? == good;
        say!(t, "two refusing addresses and a listener: connected to the listener = {}", is_third);
        Ok(())
    })?;
    Ok(())
}

/// Connects and returns the outcome in words.
async fn attempt(address: impl Into<asyncio::Address>) -> &'static str {
    match open_connection(address).await {
        Ok(_) => "connected",
        Err(error) if error.to_string().starts_with("Multiple exceptions: ") => {
            "Multiple exceptions"
        }
        Err(Error::Io(error)) if error.kind() == ErrorKind::ConnectionRefused => "refused",
        Err(_) => "another error",
    }
}

scene!(
    a_server_without_descriptors: order,
    "Two clients connect to a server that can't open another descriptor. What does the server do?"
);
/// The two clients stay in the kernel's queue, so the listener stays readable, and `accept` would
/// fail in every tick. But the server reports the failure only once
/// (`reported: socket.accept() out of system resource`), because it stops watching the listener for
/// a second, as asyncio does. Meanwhile the loop has nothing to do
/// (`the loop could sleep: Some(1s)`). Then a timer registers the listener again, the next tick
/// accepts both clients, and the tick after that serves them: `a client is served`.
fn a_server_without_descriptors(t: Transcript) -> anyhow::Result<()> {
    let clock = VirtualClock::new();
    let event_loop = EventLoop::with_clock(clock.clone())?;
    event_loop.set_exception_handler(move |report| {
        let why = report.to_string();
        let message = why.split_once(": ").map_or(why.as_str(), |(message, _)| message);
        say!(t, "  reported: {}", message);
    });
    let server = Rc::new(Cell::new(None));
    let made = Rc::clone(&server);
    event_loop.run_until_complete(async move {
        let greet = move |_reader, writer: StreamWriter| async move {
            say!(t, "  a client is served");
            writer.write(b"welcome")
        };
        made.set(Some(start_server(greet, ("127.0.0.1", 0)).await?));
        Ok(())
    })?;
    let Some(server) = server.take() else { return Ok(()) };
    let _clients = [wait_for(&server)?, wait_for(&server)?];
    say!(t, "one tick without free descriptors");
    without_free_descriptors(|| tick(&event_loop))??;
    for _ in 0..2 {
        say!(t, "one tick with free descriptors");
        tick(&event_loop)?;
    }
    say!(t, "the loop could sleep: {:?}", event_loop.select_timeout());
    clock.advance(Duration::from_secs(1));
    for after in ["a second later: one tick", "one tick", "one tick"] {
        say!(t, "{after}");
        tick(&event_loop)?;
    }
    server.close();
    event_loop.close()?;
    Ok(())
}

/// Connects to a server that isn't accepting.
fn wait_for(server: &Server) -> anyhow::Result<TcpStream> {
    Ok(connect(&server.sockets()[0], server.local_addrs()?[0])?)
}

/// Runs exactly one tick, which doesn't sleep.
fn tick(event_loop: &EventLoop) -> anyhow::Result<()> {
    event_loop.stop();
    Ok(event_loop.run_forever()?)
}
