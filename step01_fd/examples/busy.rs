//! An echo server that tries to read from all its clients in turn, in one thread: it works but
//! never rests.
//!
//! ```text
//! cargo run -p step01_fd --example busy
//! nc 127.0.0.1 7000
//! ```

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};

fn main() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:7000")?;
    println!("process {}: try `nc 127.0.0.1 7000`", std::process::id());
    serve(&listener)
}

// ANCHOR: serve
/// Tries the listener and every client in turn, then starts again.
pub fn serve(listener: &TcpListener) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let mut clients = Vec::new();
    loop {
        if let Ok((client, _)) = listener.accept() {
            client.set_nonblocking(true)?;
            clients.push(client);
        }
        clients.retain_mut(echo);
    }
}

/// Sends back the bytes that have arrived. Returns false if the client is gone.
fn echo(client: &mut TcpStream) -> bool {
    let mut buffer = [0; 1024];
    match client.read(&mut buffer) {
        Ok(0) => false,
        Ok(count) => client.write_all(&buffer[..count]).is_ok(),
        Err(error) => error.kind() == ErrorKind::WouldBlock,
    }
}
// ANCHOR_END: serve
