//! A beginner's echo server that closes silent clients: it naps and then checks each client.
//!
//! `cargo run -p step04_timers --example nap`, then `nc 127.0.0.1 7000` in another terminal.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

const NAP: Duration = Duration::from_millis(10);
const LIMIT: Duration = Duration::from_secs(5);

fn main() -> io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:7000".to_owned());
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    println!("listening on {}", listener.local_addr()?);

    let mut clients: Vec<(TcpStream, Instant)> = Vec::new();
    loop {
        thread::sleep(NAP);
        if let Ok((client, _)) = listener.accept() {
            client.set_nonblocking(true)?;
            clients.push((client, Instant::now()));
        }
        clients.retain_mut(|(client, last_heard)| {
            let mut bytes = [0; 1024];
            match client.read(&mut bytes) {
                Ok(0) => false,
                Ok(count) => {
                    *last_heard = Instant::now();
                    client.write_all(&bytes[..count]).is_ok()
                }
                Err(_) => last_heard.elapsed() < LIMIT,
            }
        });
    }
}
