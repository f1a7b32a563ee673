//! The loop so far, reached from outside.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread;

use scene::{Transcript, say, scene};
use step05_selfpipe::{EchoServer, SIGINT, SIGTERM, ServerHandle, raise};

use kit::Sleeper;

/// A client that has been answered once, and so is known to the server.
fn client(server: SocketAddr) -> anyhow::Result<TcpStream> {
    let mut client = TcpStream::connect(server)?;
    client.write_all(b"hello")?;
    client.read_exact(&mut [0; 5])?;
    Ok(client)
}

/// Has the server count its clients, and waits for the answer.
fn count_clients(handle: &ServerHandle) -> anyhow::Result<usize> {
    let (answer, answered) = mpsc::channel();
    handle.post(move |server| {
        let _ = answer.send(server.client_count());
    });
    Ok(answered.recv()?)
}

scene!(
    work_from_another_thread,
    "Another thread wants to know how many clients there are. How does it ask?"
);
/// The map of clients belongs to the loop's thread alone, and has no lock. Whoever wants to know
/// something of it sends the question there.
fn work_from_another_thread(t: Transcript) -> anyhow::Result<()> {
    let server = EchoServer::bind(0)?;
    let (address, handle) = (server.local_addr()?, server.handle());
    let running = thread::spawn(move || server.run());
    let _ann = client(address)?;
    say!(t, "clients, asked from outside: {}", count_clients(&handle)?);
    let _bob = client(address)?;
    say!(t, "one more comes:              {}", count_clients(&handle)?);

    let (name, named) = mpsc::channel();
    handle.post(move |_| {
        let _ = name.send(thread::current().id());
    });
    let in_the_loop = named.recv()? == running.thread().id();
    say!(t, "it ran in the loop's thread: {in_the_loop}");
    handle.stop();
    say!(t, "told to stop, it ends well:  {}", running.join().is_ok_and(|end| end.is_ok()));
    say!(t, "work for it now is taken:    {}", handle.post(|_| {}));
    Ok(())
}

scene!(
    graceful_shutdown_on_sigterm,
    "SIGTERM comes, and a client's bytes have not been read yet. Are they answered?"
);
/// A signal to stop is data as well, and stopping is work: the loop still answers what has come.
fn graceful_shutdown_on_sigterm(t: Transcript) -> anyhow::Result<()> {
    let mut server = EchoServer::bind(0)?;
    server.stop_on_signals()?;
    let address = server.local_addr()?;
    let mut client = TcpStream::connect(address)?;
    client.write_all(b"in flight")?;
    say!(t, "a client has sent something, and SIGTERM is there before it is read");
    raise(SIGTERM)?;
    server.run()?;
    let mut answer = String::new();
    client.read_to_string(&mut answer)?;
    say!(t, "the server has returned; its answer: {answer}, and the end");
    let refused = TcpStream::connect(address).map_err(|error| error.kind());
    say!(t, "nobody listens:   {}", refused.err() == Some(ErrorKind::ConnectionRefused));

    let mut server = EchoServer::bind(0)?;
    server.stop_on_signals()?;
    let sleeper = Sleeper::start(move || match server.run() {
        Ok(()) => "it returns".to_string(),
        Err(error) => error.to_string(),
    })?;
    sleeper.wait_until_asleep()?;
    raise(SIGINT)?;
    say!(t, "another one is asleep when SIGINT comes: {}", sleeper.join()?);
    Ok(())
}
