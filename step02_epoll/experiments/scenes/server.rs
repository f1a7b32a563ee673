//! The echo server of this step, with two clients.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use scene::{Transcript, say, scene};
use step02_epoll::{EchoServer, Events};

use kit::Sleeper;

scene!(
    first_loop,
    "One thread serves two clients. Does a silent client delay the other one, or keep the thread busy?"
);
/// `ben leaves:              the loop sleeps`: the server reads Ben's end, deletes his registration
/// and closes his socket, so no descriptor stays ready and keeps the thread busy. Anna's silence
/// doesn't delay Ben, because the thread never waits in a read of her socket. It sleeps in one
/// `epoll_wait` for all clients and reads only from those that the kernel reports.
fn first_loop(t: Transcript) -> anyhow::Result<()> {
    let server = EchoServer::bind(0)?;
    let address = server.local_addr()?;
    let stop = Arc::new(AtomicBool::new(false));
    let event_loop = Sleeper::start({
        let stop = Arc::clone(&stop);
        move || serve_until(server, &stop)
    })?;
    say!(t, "no client yet:           the loop {}", state(&event_loop)?);
    let mut anna = TcpStream::connect(address)?;
    let mut ben = TcpStream::connect(address)?;
    say!(t, "anna and ben connect:    the loop {}", state(&event_loop)?);
    say!(t, "ben sends hello:         ben receives {}", exchange(&mut ben, "hello")?);
    say!(t, "anna sends good morning: anna receives {}", exchange(&mut anna, "good morning")?);
    drop(ben);
    say!(t, "ben leaves:              the loop {}", state(&event_loop)?);
    say!(t, "anna sends still here:   anna receives {}", exchange(&mut anna, "still here")?);
    stop.store(true, SeqCst);
    wake(address)?;
    say!(t, "the loop is stopped:     it ends {}", event_loop.join()?);
    Ok(())
}

fn serve_until(mut server: EchoServer, stop: &AtomicBool) -> String {
    let mut events = Events::with_capacity(8);
    while !stop.load(SeqCst) {
        if let Err(error) = server.turn(&mut events) {
            return format!("with an error: {error}");
        }
    }
    "without an error".to_string()
}

fn state(event_loop: &Sleeper) -> anyhow::Result<&'static str> {
    event_loop.wait_until_asleep()?;
    Ok(if event_loop.is_finished() { "has ended" } else { "sleeps" })
}

fn exchange(client: &mut TcpStream, words: &str) -> anyhow::Result<String> {
    client.write_all(words.as_bytes())?;
    let mut answer = vec![0; words.len()];
    client.read_exact(&mut answer)?;
    Ok(String::from_utf8(answer)?)
}

/// Connects once more, so that the loop takes another turn and sees the flag.
fn wake(address: SocketAddr) -> std::io::Result<()> {
    TcpStream::connect(address).map(drop)
}
