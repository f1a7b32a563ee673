//! Twenty lookups at once over one UDP socket.
//!
//! `cargo run -p asyncio --example resolver`

mod dns;
#[path = "../program/mod.rs"]
mod program;

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use asyncio::{Error, Result, TimeoutError, UdpSocket, timeout};
use lexopt::{Arg, Parser, ValueExt};
use program::say;

const HELP: &str = "\
Looks up IPv4 addresses, all at the same time, and asks again for what has no answer after a second.

    cargo run -p asyncio --example resolver -- [options] [NAME...]

    --server ADDRESS   the name server, at port 53 or another one: 9.9.9.9, 127.0.0.1:5353

Without --server, it asks one in the same process, which knows host1.example to host19.example,
answers out of order, and loses some questions. Without a NAME, it looks up those, and host20.example.
";

fn main() -> ExitCode {
    program::start(HELP, read_options, look_up_all)
}

type Options = (Option<SocketAddr>, Vec<String>);

fn read_options(mut arguments: Parser) -> std::result::Result<Options, lexopt::Error> {
    let (mut server, mut names) = (None, Vec::new());
    let at_port_53 = |text: &str| text.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, 53));
    let address = |text: &str| text.parse().or_else(|_| at_port_53(text));
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Long("server") => server = Some(arguments.value()?.parse_with(address)?),
            // A name that's written in full ends with a dot.
            Arg::Value(it) => names.push(it.string()?.trim_end_matches('.').to_ascii_lowercase()),
            other => return Err(other.unexpected()),
        }
    }
    if names.is_empty() {
        names = (1..=20).map(|number| format!("host{number}.example")).collect();
    }
    Ok((server, names))
}

async fn look_up_all((server, names): Options) -> Result<()> {
    let server = server.map_or_else(kit::start_name_server, Ok)?;
    let socket = UdpSocket::bind(if server.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" }).await?;
    // From here on, the kernel drops what others send.
    socket.connect(server).await?;
    say!("asks {server}; lookups at once: {}", names.len());
    let (began, mut open) = (Instant::now(), Questions::new());
    for name in names {
        // A forger has to guess this number (and should have to guess the port: RFC 5452).
        let id = fastrand::u16(..);
        let question =
            dns::question(id, &name).map_err(|why| Error::other(format!("{name:?}: {why}")))?;
        socket.send(&question).await?;
        open.insert((id, name), question);
    }
    let mut waited = receive(&socket, &mut open, began).await?;
    for question in open.values() {
        socket.send(question).await?;
    }
    waited += receive(&socket, &mut open, began).await?;
    for (_, name) in open.keys() {
        waited += show(name, "timed out", began);
    }
    say!("{:.2?} for all; their waiting times add up to {waited:.2?}", began.elapsed());
    Ok(())
}

// ANCHOR: receive
/// The questions that have no answer yet, by their numbers and names.
type Questions = HashMap<(u16, String), Vec<u8>>;

/// Receives answers until each question has its answer, or until a second has passed. Returns the
/// sum of the answers' waiting times.
async fn receive(socket: &UdpSocket, open: &mut Questions, began: Instant) -> Result<Duration> {
    let (mut waited, mut buffer) = (Duration::ZERO, [0; 512]);
    let receive_all = async {
        while !open.is_empty() {
            let count = socket.recv(&mut buffer).await?;
            let Some((key, outcome)) = dns::answer(&buffer[..count]) else { continue };
            // If there's no such question, the answer is late, or forged.
            if open.remove(&key).is_some() {
                waited += show(&key.1, &outcome, began);
            }
        }
        Ok(())
    };
    match timeout(Duration::from_secs(1))?.run(receive_all).await {
        Err(error) if !TimeoutError::is(&error) => Err(error),
        _ => Ok(waited),
    }
}
// ANCHOR_END: receive

/// Prints the outcome of a lookup and returns how long it took.
fn show(name: &str, outcome: &str, began: Instant) -> Duration {
    let took = began.elapsed();
    say!("{:>5} ms  {name}  {outcome}", took.as_millis());
    took
}
