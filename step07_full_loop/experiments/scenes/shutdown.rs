//! The end of a server: it accepts no more clients and sends its clients the answers it owes them.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step05_selfpipe::{SIGTERM, raise};
use step07_full_loop::{
    Clients, EventLoop, Result, TcpListener, TcpStream, VirtualClock, accept_clients, create_task,
    get_running_loop, serve_until_stopped, sleep, yield_now,
};

const HOUR: Duration = Duration::from_hours(1);

scene!(
    stop_finish_and_leave: order,
    "SIGTERM arrives. One client is idle, one is owed an answer, and one would take an hour. What happens to each of them?"
);
/// The server's tasks only sleep. The answer takes a tenth of the time that the clients get.
fn stop_finish_and_leave(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    let returned = event_loop.run(async move {
        let clients = Clients::new();
        let needed = [Duration::ZERO, Duration::from_millis(20), HOUR];
        for (name, needed) in
            ["the idle one", "the one with an answer", "the slow one"].into_iter().zip(needed)
        {
            clients.add(create_task(client(t, name, needed))?);
        }
        let accepting = create_task(async move {
            let outcome = sleep(HOUR).await;
            say!(t, "the server stops accepting");
            outcome
        })?;
        get_running_loop()?.call_soon(move || {
            say!(t, "SIGTERM arrives");
            let raised = raise(SIGTERM);
            assert!(raised.is_ok(), "{raised:?}");
        });
        // While a task is ready, no virtual time passes, so the loop sees the signal now.
        create_task(async {
            for _ in 0..8 {
                yield_now().await?;
            }
            Ok(())
        })?;
        serve_until_stopped(accepting, clients, Duration::from_millis(200)).await
    });
    say!(t, "the server has returned Ok: {}", returned.is_ok());
    Ok(())
}

async fn client(t: Transcript, name: &'static str, needed: Duration) -> Result<()> {
    let asked = sleep(HOUR).await;
    say!(t, "  {name} is asked to end");
    if needed.is_zero() {
        return asked;
    }
    match sleep(needed).await {
        Ok(()) => say!(t, "  {name} has finished"),
        Err(_) => say!(t, "  {name} is asked again and leaves"),
    }
    asked
}

scene!(
    an_echo_server_is_stopped,
    "An echo server is stopped in the middle of its answers. Which clients still get theirs?"
);
/// All clients that read get their answers:
/// `the late clients read to the end and got all they were owed: true`. After SIGTERM the server
/// accepts no more clients and cancels each client's task once. A cancellation is only a request:
/// the task answers the bytes that have arrived and ends. The task whose client never reads can't
/// send its answer, so after five seconds it's cancelled again and ends. Without that limit, the
/// server would have to wait for this client's idle timeout, a minute.
fn an_echo_server_is_stopped(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.run(async move {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let clients = Clients::new();
        let (silent, never) = (connect(&clients)?, connect(&clients)?);
        let late = vec![connect(&clients)?, connect(&clients)?];
        let talking = create_task(talk(t, address, silent, late, never))?;
        let accepting = create_task(accept_clients(listener, clients.clone()))?;
        let began = get_running_loop()?.time();
        serve_until_stopped(accepting, clients.clone(), Duration::from_secs(5)).await?;
        let passed = get_running_loop()?.time() - began;
        say!(t, "the server has ended after {:?}; clients left: {}", passed, clients.tasks().len());
        say!(t, "the client that never reads gets all it was owed: {}", talking.await?);
        Ok(())
    })?;
    Ok(())
}

/// Connects a client to the server. Bytes written to a Unix socket reach the other side at once.
fn connect(clients: &Clients) -> Result<UnixStream> {
    let (ours, theirs) = UnixStream::pair()?;
    theirs.set_nonblocking(true)?;
    clients.serve(TcpStream::from_std(std::net::TcpStream::from(OwnedFd::from(ours)))?)?;
    Ok(theirs)
}

async fn talk(
    t: Transcript,
    address: SocketAddr,
    mut silent: UnixStream,
    mut late: Vec<UnixStream>,
    mut never: UnixStream,
) -> Result<bool> {
    let mut sent = Vec::new();
    for peer in &mut late {
        sent.push(fill(peer).await?);
    }
    let sent_by_never = fill(&mut never).await?;
    say!(t, "a newcomer: connected = {}", std::net::TcpStream::connect(address).is_ok());
    raise(SIGTERM)?;
    for _ in 0..8 {
        yield_now().await?;
    }
    say!(t, "SIGTERM. A newcomer: connected = {}", std::net::TcpStream::connect(address).is_ok());
    say!(t, "the silent client reads: {:?}", silent.read(&mut [0; 8])?);
    let read = read_by_turns(&mut late).await?;
    say!(t, "the late clients read to the end and got all they were owed: {}", read == sent);
    // The loop has nothing to do any more, so the clock jumps to the end of the five seconds.
    sleep(Duration::from_secs(6)).await?;
    let mut rest = Vec::new();
    // It ends with the end of the stream, or with an error; what was read is kept.
    let _ = never.read_to_end(&mut rest);
    Ok(rest.len() == sent_by_never)
}

/// Reads from the peers in turn until every stream has ended and returns the number of bytes from
/// each.
async fn read_by_turns(peers: &mut [UnixStream]) -> Result<Vec<usize>> {
    let (mut buffer, mut read) = (vec![0; 16 * 1024], vec![0; peers.len()]);
    let mut open = peers.len();
    while open > 0 {
        open = 0;
        for (peer, read) in peers.iter_mut().zip(&mut read) {
            match peer.read(&mut buffer) {
                Ok(count) => {
                    *read += count;
                    open += usize::from(count > 0);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => open += 1,
                Err(error) => return Err(error.into()),
            }
        }
        yield_now().await?;
    }
    Ok(read)
}

/// Sends until neither side has room and returns the number of bytes.
async fn fill(peer: &mut UnixStream) -> Result<usize> {
    let (message, mut sent) = (vec![b'!'; 64 * 1024], 0);
    loop {
        let before = sent;
        while let Ok(count) = peer.write(&message) {
            sent += count;
        }
        if sent == before {
            return Ok(sent);
        }
        for _ in 0..4 {
            yield_now().await?;
        }
    }
}
