//! An echo server on a loop from scratch: `cargo run -p from_scratch --example tiny_echo` runs it
//! on the reference, and `cargo run -- run-mine from_scratch --example tiny_echo` on yours.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};

use from_scratch::{block_on, readable, spawn, writable};

fn main() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    listener.set_nonblocking(true)?;
    println!("listening on {}", listener.local_addr()?);
    block_on(async {
        loop {
            readable(&listener).await?;
            // The client may already have disconnected.
            if let Ok((client, _)) = listener.accept() {
                drop(spawn(echo(client)));
            }
        }
    })
}

async fn echo(mut client: TcpStream) -> io::Result<()> {
    client.set_nonblocking(true)?;
    let mut buffer = [0; 4096];
    loop {
        readable(&client).await?;
        let count = match client.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
            Err(error) => return Err(error),
        };
        let mut rest = &buffer[..count];
        while !rest.is_empty() {
            writable(&client).await?;
            match client.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }
}
