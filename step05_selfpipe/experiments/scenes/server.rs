//! The echo server of this step, reached from other threads and by signals.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread;

use anyhow::Context;
use scene::{Transcript, say, scene};
use step05_selfpipe::{EchoServer, SIGINT, SIGTERM, ServerHandle, raise};

use kit::Sleeper;

/// Connects and waits for one answer, which proves that the server has registered the client.
fn client(server: SocketAddr) -> anyhow::Result<TcpStream> {
    let mut client = TcpStream::connect(server)?;
    client.write_all(b"hello")?;
    client.read_exact(&mut [0; 5])?;
    Ok(client)
}

/// Lets the server count its clients and waits for the answer.
fn count_clients(handle: &ServerHandle) -> anyhow::Result<usize> {
    let (sender, receiver) = mpsc::channel();
    handle.post(move |server| {
        let _ = sender.send(server.client_count());
    });
    Ok(receiver.recv()?)
}

scene!(
    work_from_another_thread,
    "Another thread posts a closure that counts the clients. In which thread does the closure run?"
);
/// `the thread that ran the closure:  the loop's`: the handle puts the closure into the server's
/// inbox, and a byte wakes the loop, which runs the closure between two events. No other code uses
/// the map of clients at that moment, so the map needs no lock. Another such closure stops the
/// server. After that, the inbox is gone: `post after that returns:          false`.
fn work_from_another_thread(t: Transcript) -> anyhow::Result<()> {
    let server = EchoServer::bind(0)?;
    let (address, handle) = (server.local_addr()?, server.handle());
    let running = thread::spawn(move || server.run());
    let _ann = client(address)?;
    say!(t, "one client, counted from outside: {}", count_clients(&handle)?);
    let _bob = client(address)?;
    say!(t, "another client connects:          {}", count_clients(&handle)?);

    let (sender, receiver) = mpsc::channel();
    handle.post(move |_| {
        let _ = sender.send(thread::current().id());
    });
    let in_the_loop = receiver.recv()? == running.thread().id();
    let thread = if in_the_loop { "the loop's" } else { "another one" };
    say!(t, "the thread that ran the closure:  {}", thread);
    handle.stop();
    let ended = running.join().ok().context("the server panicked")?;
    say!(t, "stop; the server's run returns:   {:?}", ended);
    say!(t, "post after that returns:          {}", handle.post(|_| {}));
    Ok(())
}

scene!(
    graceful_shutdown_on_sigterm,
    "SIGTERM arrives before the server has read a client's bytes. Does the client get its answer?"
);
/// `run returns, the client reads: "in flight", then the end`: the signal's handler only sets a bit
/// and wakes the loop. The loop ends its turn, accepts a last batch of waiting clients, closes its
/// listener, and answers the bytes that have arrived before it closes the connections. Without a
/// listener the kernel refuses new clients:
/// `a new client connects:         Err(ConnectionRefused)`. A server that's asleep is woken by the
/// handler's byte.
fn graceful_shutdown_on_sigterm(t: Transcript) -> anyhow::Result<()> {
    let mut server = EchoServer::bind(0)?;
    server.stop_on_signals()?;
    let address = server.local_addr()?;
    let mut client = TcpStream::connect(address)?;
    client.write_all(b"in flight")?;
    say!(t, "a client sends \"in flight\"; SIGTERM arrives before it's read");
    raise(SIGTERM)?;
    server.run()?;
    let mut answer = String::new();
    client.read_to_string(&mut answer)?;
    say!(t, "  run returns, the client reads: {:?}, then the end", answer);
    let refused = TcpStream::connect(address).map_err(|error| error.kind());
    say!(t, "  a new client connects:         {:?}", refused.map(drop));

    let mut server = EchoServer::bind(0)?;
    server.stop_on_signals()?;
    let sleeper = Sleeper::start(move || match server.run() {
        Ok(()) => "Ok(())".to_string(),
        Err(error) => error.to_string(),
    })?;
    sleeper.wait_until_asleep()?;
    raise(SIGINT)?;
    say!(t, "another server is asleep; SIGINT arrives");
    say!(t, "  run returns:                   {}", sleeper.join()?);
    Ok(())
}
