//! Compares what the same server costs on our loop and on tokio. `tests/` checks whether both
//! servers give the same answers and whether the server on our loop survives hostile clients.
//!
//! ```text
//! cargo run --release -p compare -- pace [PAIRS]            processor time per request
//! cargo run --release -p compare -- idle [CONNECTIONS]      bytes per idle connection
//! cargo run --release -p compare -- tls [PAIRS]             processor time per TLS handshake
//! ```

#![forbid(unsafe_code)]

mod child;
mod handlers;
mod idle;
mod on_tokio;
mod on_your_loop;
mod pace;
mod secret;

use std::process::ExitCode;

use asyncio::{Error, LoopError, Result, run};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let count = |default: usize| words.get(1).and_then(|word| word.parse().ok()).unwrap_or(default);
    let done = match words.first().copied() {
        Some("serve") => child::serve(words[1], words.get(2).copied().unwrap_or_default()),
        Some("pace") => pace::run_pairs(count(20)),
        Some("idle") => on_the_loop(idle::measure(count(5000))),
        Some("tls") => secret::run_pairs(count(20)),
        _ => Err(Error::other("usage: compare pace, idle or tls, and a number")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a future on a new loop.
fn on_the_loop<T: Clone + 'static>(main: impl Future<Output = Result<T>> + 'static) -> Result<T> {
    run(main).map_err(|error| match error {
        LoopError::Task(error) => error,
        other => Error::other(other),
    })
}
