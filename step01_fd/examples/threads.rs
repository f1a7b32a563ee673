//! An echo server with a thread for each client: it works, but each client costs a thread.
//!
//! ```text
//! cargo run -p step01_fd --example threads
//! nc 127.0.0.1 7000
//! ```

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

fn main() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:7000")?;
    println!("process {}: try `nc 127.0.0.1 7000`", std::process::id());
    serve(&listener)
}

// ANCHOR: serve
/// Starts a thread for each client.
pub fn serve(listener: &TcpListener) -> io::Result<()> {
    loop {
        let (client, _) = listener.accept()?;
        thread::spawn(move || echo(client));
    }
}
// ANCHOR_END: serve

/// Sends back everything that a client sends, until the client hangs up.
fn echo(mut client: TcpStream) -> io::Result<()> {
    let mut buffer = [0; 1024];
    loop {
        let count = client.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        client.write_all(&buffer[..count])?;
    }
}
