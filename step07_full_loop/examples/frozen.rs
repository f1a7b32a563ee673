//! A clock that stops while a callback sleeps, and a Ctrl-C that has to wait for the callback.
//!
//! `cargo run -p step07_full_loop --example frozen`, then type a number of seconds.

use std::io;
use std::time::Duration;

use step07_full_loop::{LoopResult, Read, Result, get_running_loop, run, sleep};

// ANCHOR: main
fn main() -> LoopResult<()> {
    run(async {
        get_running_loop()?.add_reader(io::stdin(), on_input)?;
        tick_forever().await
    })
}

async fn tick_forever() -> Result<()> {
    loop {
        println!("tick");
        sleep(Duration::from_secs(1)).await?;
    }
}

fn on_input() {
    let seconds = typed_number();
    println!("works for {seconds} s");
    std::thread::sleep(Duration::from_secs(seconds));
    println!("is done");
}
// ANCHOR_END: main

/// Returns the number that has been typed, or 0. Ends the program at the end of its input.
fn typed_number() -> u64 {
    let mut buffer = [0; 64];
    match step01_fd::read(io::stdin(), &mut buffer) {
        Ok(Read::Bytes(count)) => {
            String::from_utf8_lossy(&buffer[..count]).trim().parse().unwrap_or_default()
        }
        _ => std::process::exit(0),
    }
}
