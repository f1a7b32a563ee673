//! A server that answers each line after five seconds, as you'd first write it. Chapter 03 finds
//! the server's mistake.
//!
//! `cargo run -p step03_selector --example slow`, then `nc 127.0.0.1 7000` in another terminal.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use step02_epoll::{Epoll, Events, Interest, Trigger};

const LISTENER: u64 = u64::MAX;
const DELAY: Duration = Duration::from_secs(5);

fn main() -> io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:7000".to_owned());
    let listener = TcpListener::bind(address)?;
    println!("listening on {}", listener.local_addr()?);

    let epoll = Epoll::new()?;
    epoll.add(&listener, LISTENER, Interest::READABLE, Trigger::Level)?;
    let mut clients: HashMap<u64, TcpStream> = HashMap::new();
    let mut answers: VecDeque<(Instant, u64, Vec<u8>)> = VecDeque::new();
    let mut events = Events::with_capacity(256);
    loop {
        let next = answers.front().map(|(due, ..)| due.saturating_duration_since(Instant::now()));
        epoll.wait(&mut events, next)?;
        for event in &events {
            let token = event.token();
            if token == LISTENER {
                let (client, _) = listener.accept()?;
                let token = u64::from(client.as_raw_fd().unsigned_abs());
                epoll.add(&client, token, Interest::READABLE, Trigger::Level)?;
                clients.insert(token, client);
            } else if let Some(client) = clients.get_mut(&token) {
                let mut bytes = [0; 1024];
                if let Ok(count @ 1..) = client.read(&mut bytes) {
                    answers.push_back((Instant::now() + DELAY, token, bytes[..count].to_vec()));
                } else {
                    epoll.delete(&*client)?;
                    clients.remove(&token);
                }
            }
        }
        while answers.front().is_some_and(|(due, ..)| *due <= Instant::now()) {
            let Some((_, token, answer)) = answers.pop_front() else { break };
            if let Some(client) = clients.get_mut(&token) {
                client.write_all(&answer)?;
            }
        }
    }
}
