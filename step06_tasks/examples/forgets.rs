//! A server that asks each client two questions, with a handler that's called once per line.
//!
//! `cargo run -p step06_tasks --example forgets`, then `nc 127.0.0.1 7000` in another terminal.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::rc::Rc;

use step03_selector::{EpollSelector, Interest, Selector};

// ANCHOR: on_line
/// Gets a name, then a city, and then says hello. That's the plan, at least.
fn on_line(line: &str) -> String {
    let name = line;
    format!("{name}, where are you from?\n")
}
// ANCHOR_END: on_line

fn main() -> io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:7000".to_owned());
    let listener = TcpListener::bind(address)?;
    println!("listening on {}", listener.local_addr()?);
    let mut selector: EpollSelector<Option<Rc<TcpStream>>> = EpollSelector::new()?;
    selector.register(&listener, Interest::READABLE, None)?;
    let mut ready = Vec::new();
    loop {
        selector.select(None, &mut ready)?;
        for event in ready.drain(..) {
            let Some(client) = event.data else {
                let client = Rc::new(listener.accept()?.0);
                (&*client).write_all(b"What's your name?\n")?;
                selector.register(&*client, Interest::READABLE, Some(Rc::clone(&client)))?;
                continue;
            };
            let mut bytes = [0; 1024];
            match (&*client).read(&mut bytes) {
                Ok(count @ 1..) => {
                    let line = String::from_utf8_lossy(&bytes[..count]);
                    (&*client).write_all(on_line(line.trim()).as_bytes())?;
                }
                _ => drop(selector.unregister(&*client)?),
            }
        }
    }
}
