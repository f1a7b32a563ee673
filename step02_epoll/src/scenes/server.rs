//! The first loop, with clients.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use scene::{Transcript, say, scene};
use step02_epoll::{EchoServer, Events};

use kit::Sleeper;

scene!(first_loop, "One thread, several clients, most of them silent. Who is served?");
/// The server is one thread. It sleeps while everybody is silent, and a client that says nothing
/// keeps nobody waiting.
fn first_loop(t: Transcript) -> anyhow::Result<()> {
    let server = EchoServer::bind(0)?;
    let address = server.local_addr()?;
    let stop = Arc::new(AtomicBool::new(false));
    let loops = Sleeper::start({
        let stop = Arc::clone(&stop);
        move || serve_until(server, &stop)
    })?;
    say!(t, "nobody has come, the loop sleeps: {}", sleeps(&loops)?);
    let mut anna = TcpStream::connect(address)?;
    let mut ben = TcpStream::connect(address)?;
    say!(t, "anna and ben have come, the loop sleeps: {}", sleeps(&loops)?);
    say!(t, "ben says hello, and hears {}", exchange(&mut ben, "hello")?);
    say!(t, "anna says good morning, and hears {}", exchange(&mut anna, "good morning")?);
    drop(ben);
    say!(t, "ben leaves, the loop sleeps: {}", sleeps(&loops)?);
    say!(t, "anna says still here, and hears {}", exchange(&mut anna, "still here")?);
    stop.store(true, SeqCst);
    wake(address)?;
    say!(t, "the loop ends: {}", loops.join()?);
    Ok(())
}

fn serve_until(mut server: EchoServer, stop: &AtomicBool) -> String {
    let mut events = Events::with_capacity(8);
    while !stop.load(SeqCst) {
        if let Err(error) = server.turn(&mut events) {
            return error.to_string();
        }
    }
    "without an error".to_string()
}

fn sleeps(loops: &Sleeper) -> anyhow::Result<bool> {
    loops.wait_until_asleep()?;
    Ok(!loops.is_finished())
}

fn exchange(client: &mut TcpStream, words: &str) -> anyhow::Result<String> {
    client.write_all(words.as_bytes())?;
    let mut answer = vec![0; words.len()];
    client.read_exact(&mut answer)?;
    Ok(String::from_utf8(answer)?)
}

/// A last client, so that the loop has a turn in which it finds that it shall stop.
fn wake(address: SocketAddr) -> std::io::Result<()> {
    TcpStream::connect(address).map(drop)
}
