//! A loop that Ctrl-C is meant to stop, with nothing but a flag between the handler and the loop.
//!
//! `cargo run -p step05_selfpipe --example flag`
//!
//! The loop checks its flag, then waits. The gap between these two lines is tiny in a real program;
//! here it lasts until you press Enter, so that you can hit it with Ctrl-C.

use std::io;
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use step03_selector::{EpollSelector, Interest, Selector};

static STOP: AtomicBool = AtomicBool::new(false);

extern "C" fn on_ctrl_c(_signal: libc::c_int) {
    STOP.store(true, SeqCst);
}

fn main() -> io::Result<()> {
    let handler = on_ctrl_c as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // SAFETY: the handler only stores an atomic: it calls nothing and takes no lock.
    unsafe { libc::signal(libc::SIGINT, handler) };
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:7000".to_owned());
    let listener = TcpListener::bind(address)?;
    println!("listening on {}", listener.local_addr()?);
    let mut selector = EpollSelector::new()?;
    selector.register(&listener, Interest::READABLE, ())?;
    let mut ready = Vec::new();

    while !STOP.load(SeqCst) {
        println!("The flag is false. Now the gap: press Enter to go on to the wait.");
        io::stdin().read_line(&mut String::new())?;

        println!("Waiting. The flag is {}.", STOP.load(SeqCst));
        selector.select(None, &mut ready)?;
        println!("Awake. Events: {}.", ready.len());
        for _ in &ready {
            listener.accept()?;
        }
    }
    println!("Stopped, because the flag is true.");
    Ok(())
}
