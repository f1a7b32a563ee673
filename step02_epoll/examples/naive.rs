//! An echo server on epoll, as you'd first write it. It has three mistakes, which chapter 02 finds.
//!
//! `cargo run -p step02_epoll --example naive`, then `nc 127.0.0.1 7000` in two other terminals.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;

use step02_epoll::{Epoll, Events, Interest, Trigger};

const LISTENER: u64 = u64::MAX;

fn main() -> io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:7000".to_owned());
    let listener = TcpListener::bind(address)?;
    println!("listening on {}", listener.local_addr()?);

    let epoll = Epoll::new()?;
    epoll.add(&listener, LISTENER, Interest::READABLE, Trigger::Level)?;
    let mut clients: HashMap<u64, TcpStream> = HashMap::new();
    let mut events = Events::with_capacity(256);
    loop {
        epoll.wait(&mut events, None)?;
        for event in &events {
            if event.token() == LISTENER {
                let (client, _) = listener.accept()?;
                client.set_nonblocking(true)?;
                let token = u64::from(client.as_raw_fd().unsigned_abs());
                epoll.add(&client, token, Interest::READABLE, Trigger::Level)?;
                clients.insert(token, client);
            } else if let Some(client) = clients.get_mut(&event.token()) {
                let mut bytes = [0; 1024];
                let count = client.read(&mut bytes)?;
                client.write_all(&bytes[..count])?;
            }
        }
    }
}
