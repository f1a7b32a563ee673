//! A loop as some articles print it: it runs callbacks and steps until none is ready any more.
//!
//! `cargo run -p step07_full_loop --example until_empty`, then type a few lines, `count`, and more
//! lines. Ctrl-C ends the program.

use std::io;

use step01_fd::{Read, read};
use step03_selector::{EpollSelector, Interest, Selector};
use step06_tasks::{ReadyQueue, Result, yield_now};

// ANCHOR: main
fn main() -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let mut selector = EpollSelector::new()?;
    selector.register(io::stdin(), Interest::READABLE, ())?;
    let mut events = Vec::new();
    loop {
        selector.select(None, &mut events)?;
        for _ in events.drain(..) {
            let inner = queue.clone();
            queue.call_soon(move || on_input(&inner));
        }
        while !queue.is_empty() {
            queue.run_ready();
        }
    }
}
// ANCHOR_END: main

fn on_input(queue: &ReadyQueue) {
    let mut buffer = [0; 1024];
    let Ok(Read::Bytes(count)) = read(io::stdin(), &mut buffer) else {
        std::process::exit(0);
    };
    for line in String::from_utf8_lossy(&buffer[..count]).lines() {
        if line == "count" {
            queue.create_task(count_politely());
        } else {
            println!("you typed {line:?}");
        }
    }
}

// ANCHOR: count_politely
/// Counts forever but gives up its turn after each number.
async fn count_politely() -> Result<()> {
    for number in 1_u64.. {
        if number.is_power_of_two() {
            println!("counted to {number}");
        }
        yield_now().await?;
    }
    Ok(())
}
// ANCHOR_END: count_politely
