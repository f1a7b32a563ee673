//! Many clients, half of them hostile. Every well-behaved one has to get its answer.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use asyncio::{Error, Result, Semaphore, TcpStream, create_task, gather, sleep, wait_for};
use rustix::net::sockopt::{set_socket_linger, set_socket_recv_buffer_size};

use crate::child::Server;
use crate::handlers::HELLO;

const AT_A_TIME: usize = 300;
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) async fn attack(clients: usize) -> Result<()> {
    for name in ["loop", "tokio"] {
        let mut server = Server::start(name, "")?;
        let before = server.used()?;
        let begun = Instant::now();
        let answered = Rc::new(Cell::new(0));
        let places = Rc::new(Semaphore::new(AT_A_TIME));
        let address = server.address;
        let mut tasks = Vec::new();
        for number in 0..clients {
            let (answered, places) = (Rc::clone(&answered), Rc::clone(&places));
            tasks.push(create_task(async move {
                let _place = places.hold().await?;
                if number % 2 == 0 {
                    wait_for(behave(address), PATIENCE).await?;
                    answered.set(answered.get() + 1);
                } else {
                    // What becomes of a hostile client doesn't matter.
                    let _ = misbehave(address, number / 2).await;
                }
                Ok(())
            })?);
        }
        gather(tasks)?.await?;
        let used = server.used()?;
        println!(
            "{name:6} {} of {} well-behaved clients have their answer, in {:.1} s; the server grew by \
             {} KiB",
            answered.get(),
            clients.div_ceil(2),
            begun.elapsed().as_secs_f64(),
            used.kilobytes.saturating_sub(before.kilobytes)
        );
        if answered.get() != clients.div_ceil(2) {
            return Err(Error::other("a well-behaved client has no answer"));
        }
    }
    Ok(())
}

async fn behave(address: SocketAddr) -> Result<()> {
    let stream = TcpStream::connect(address).await?;
    stream.write_all(b"GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n").await?;
    let answer = read_all(&stream).await?;
    if answer.ends_with(HELLO.as_bytes()) { Ok(()) } else { Err(Error::other("a bad answer")) }
}

async fn read_all(stream: &TcpStream) -> Result<Vec<u8>> {
    let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut buffer).await? {
            0 => return Ok(all),
            count => all.extend_from_slice(&buffer[..count]),
        }
    }
}

/// One of ten ways to be a nuisance.
async fn misbehave(address: SocketAddr, way: usize) -> Result<()> {
    let stream = TcpStream::connect(address).await?;
    let resets = || set_socket_linger(&stream, Some(Duration::ZERO)).map_err(std::io::Error::from);
    let slowly = Duration::from_millis(5);
    match way % 10 {
        // Says nothing, and leaves with a reset.
        0 => resets()?,
        // Not HTTP.
        1 => {
            stream.write_all(&[0xff; 1000]).await?;
            read_all(&stream).await?;
        }
        // Leaves in the middle of a head.
        2 => stream.write_all(b"GET / HTTP/1.1\r\nhost: he").await?,
        // Sends its head byte by byte, and leaves.
        3 => {
            for byte in b"GET / HTTP/1.1" {
                stream.write_all(&[*byte]).await?;
                sleep(slowly).await?;
            }
        }
        // Leaves while its handler sleeps.
        4 => {
            stream.write_all(b"GET /sleep/1000 HTTP/1.1\r\nhost: here\r\n\r\n").await?;
            sleep(slowly).await?;
            resets()?;
        }
        // Its handler panics.
        5 => {
            stream.write_all(b"GET /panic HTTP/1.1\r\nhost: here\r\n\r\n").await?;
            read_all(&stream).await?;
        }
        // Asks for much, and doesn't read it.
        6 => {
            set_socket_recv_buffer_size(&stream, 4096).map_err(std::io::Error::from)?;
            stream.write_all(b"GET /big HTTP/1.1\r\nhost: here\r\n\r\n").await?;
            sleep(10 * slowly).await?;
            resets()?;
        }
        // A head that never ends.
        7 => {
            stream.write_all(b"GET / HTTP/1.1\r\nhost: here\r\n").await?;
            for _ in 0..100 {
                stream.write_all(&[b'x'; 10_000]).await?;
            }
        }
        // Promises a body, and sends a part.
        8 => {
            let head = "POST /echo HTTP/1.1\r\nhost: here\r\ncontent-length: 1000000\r\n\r\n";
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(&[b'x'; 10_000]).await?;
            sleep(slowly).await?;
            resets()?;
        }
        // A chunk whose length is a lie.
        _ => {
            let text = "POST /stream HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n\
                        fffffffffffffffff\r\n";
            stream.write_all(text.as_bytes()).await?;
            read_all(&stream).await?;
        }
    }
    Ok(())
}
