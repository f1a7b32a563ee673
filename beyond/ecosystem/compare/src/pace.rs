//! Measures processor time per request: 64 connections stay open, and each sends its next request
//! as soon as it has received an answer.

use std::path::Path;
use std::time::Duration;
use std::{env, fs};

use asyncio::{Error, Result, TcpStream, gather};

use crate::child::Server;
use crate::handlers::HELLO;
use crate::on_the_loop;

const CONNECTIONS: usize = 64;
const REQUESTS_PER_CONNECTION: usize = 300;

/// Measures all servers in rounds. In each round, the servers run one after another, and a
/// different server goes first.
pub(crate) fn run_pairs(pairs: usize) -> Result<()> {
    let directory = env::temp_dir().join(format!("compare-{}", std::process::id()));
    fs::create_dir_all(&directory)?;
    fs::write(directory.join("hello.txt"), HELLO)?;
    let started = measured(pairs, &directory);
    fs::remove_dir_all(&directory)?;
    started
}

fn measured(pairs: usize, directory: &Path) -> Result<()> {
    let directory = directory.to_str().unwrap_or_default();
    let names = ["tokio", "loop", "loop again", "tokio again", "files"];
    let mut servers = Vec::new();
    for name in names {
        let kind = name.split(' ').next().unwrap_or_default();
        servers.push(Server::start(kind, if kind == "files" { directory } else { "" }, &[])?);
    }
    let requests = CONNECTIONS * REQUESTS_PER_CONNECTION;
    let rounds = interleaved(pairs, &mut servers, |server| {
        let address = server.address;
        on_the_loop(async move { ask_all(address).await })
    })?;
    println!(
        "axum and serve_files: {CONNECTIONS} connections, {pairs} rounds of {requests} requests"
    );
    report(&names, &rounds, requests, "request");
    Ok(())
}

/// Runs each server once per round, after a warm-up round that doesn't count. Returns each server's
/// processor time in each round.
pub(crate) fn interleaved(
    pairs: usize,
    servers: &mut [Server],
    work: impl Fn(&Server) -> Result<()>,
) -> Result<Vec<Vec<Duration>>> {
    let mut rounds = vec![Vec::new(); servers.len()];
    for number in 0..=pairs {
        for at in 0..servers.len() {
            let at = (at + number) % servers.len();
            let before = servers[at].used()?;
            work(&servers[at])?;
            let processor = servers[at].used()?.processor.saturating_sub(before.processor);
            if number > 0 {
                rounds[at].push(processor);
            }
        }
    }
    Ok(rounds)
}

/// Prints each server's median processor time per unit. Also divides the server's time in each
/// round by the first server's time in the same round, and prints the median and the middle half of
/// these ratios.
pub(crate) fn report(names: &[&str], rounds: &[Vec<Duration>], count: usize, unit: &str) {
    #[allow(clippy::cast_precision_loss, reason = "these are small numbers")]
    let count = count as f64;
    for (name, own) in names.iter().zip(rounds) {
        let each = sorted(own.iter().map(|round| round.as_secs_f64() * 1e6 / count));
        let pairs = own.iter().zip(&rounds[0]);
        let ratios = sorted(pairs.map(|(own, first)| own.div_duration_f64(*first)));
        let quarter = ratios.len() / 4;
        println!(
            "{name:12} {:7.2} µs of processor time per {unit}, {:.3} of {}'s (half of the rounds: \
             {:.3} to {:.3})",
            each[each.len() / 2],
            ratios[ratios.len() / 2],
            names[0],
            ratios[quarter],
            ratios[ratios.len() - 1 - quarter]
        );
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

async fn ask_all(address: std::net::SocketAddr) -> Result<()> {
    gather((0..CONNECTIONS).map(|_| ask(address)))?.await?;
    Ok(())
}

async fn ask(address: std::net::SocketAddr) -> Result<()> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let mut buffer = [0; 4096];
    for _ in 0..REQUESTS_PER_CONNECTION {
        stream.write_all(b"GET /hello.txt HTTP/1.1\r\nhost: here\r\naccept: */*\r\n\r\n").await?;
        let mut length = 0;
        // We know the body, so we know that the answer ends with it.
        while !buffer[..length].ends_with(HELLO.as_bytes()) {
            match stream.read(&mut buffer[length..]).await? {
                0 => return Err(Error::other("the server has closed a connection")),
                count => length += count,
            }
        }
    }
    Ok(())
}
