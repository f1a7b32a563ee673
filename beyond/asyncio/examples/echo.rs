//! A server that sends back what it receives and says what that has cost it.
//!
//! `cargo run -p asyncio --example echo`

mod program;

use std::process::ExitCode;

use asyncio::{Event, Result, StreamReader, StreamWriter, start_server};
use lexopt::{Arg, Parser, ValueExt};
use program::say;

const HELP: &str = "\
Sends back to each client what it sends. When a client leaves, a line says how much that was, and how
much of it was unsent at worst.

    cargo run -p asyncio --example echo -- [options]

    --port N          listen on this port of 127.0.0.1 (7000; with 0 the kernel chooses)
    --without-drain   don't wait while a client doesn't read its answers

In a second terminal:

    nc 127.0.0.1 7000
    head -c 200M /dev/zero | nc -N 127.0.0.1 7000 | wc -c
    timeout 5 bash -c 'head -c 200M /dev/zero > /dev/tcp/127.0.0.1/7000'

The last one sends for five seconds at most, and never reads. Compare what it costs with and without
--without-drain.
Ctrl-C ends the server.
";

struct Options {
    port: u16,
    without_drain: bool,
}

fn main() -> ExitCode {
    program::start(HELP, read_options, echo)
}

fn read_options(mut arguments: Parser) -> std::result::Result<Options, lexopt::Error> {
    let mut options = Options { port: 7000, without_drain: false };
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Long("port") => options.port = arguments.value()?.parse()?,
            Arg::Long("without-drain") => options.without_drain = true,
            other => return Err(other.unexpected()),
        }
    }
    Ok(options)
}

async fn echo(Options { port, without_drain }: Options) -> Result<()> {
    let serve = move |reader, writer| serve(reader, writer, without_drain);
    let server = start_server(serve, ("127.0.0.1", port)).await?;
    say!("listening on {}", server.local_addrs()?[0]);
    // Until Ctrl-C. Then `serve_forever` would wait until the last client has left.
    Event::new().wait().await
}

async fn serve(mut reader: StreamReader, writer: StreamWriter, without_drain: bool) -> Result<()> {
    // A client that resets its connection at once has no address any more.
    let Ok(peer) = writer.peer_addr() else { return Ok(()) };
    say!("{peer} is here");
    let mut traffic = Traffic::default();
    let ended = send_back(&mut reader, &writer, &mut traffic, without_drain).await;
    let how = match ended {
        Ok(()) => "has left".to_owned(),
        Err(error) => format!("is gone ({error})"),
    };
    let Traffic { received, most_unsent } = traffic;
    say!("{peer} {how}: {received} bytes received, at most {most_unsent} unsent");
    Ok(())
}

#[derive(Default)]
struct Traffic {
    received: usize,
    /// The most bytes that were waiting in this process to be sent.
    most_unsent: usize,
}

// ANCHOR: send_back
async fn send_back(
    reader: &mut StreamReader,
    writer: &StreamWriter,
    traffic: &mut Traffic,
    without_drain: bool,
) -> Result<()> {
    loop {
        let bytes = reader.read(64 * 1024).await?;
        if bytes.is_empty() {
            return Ok(());
        }
        traffic.received += bytes.len();
        writer.write(&bytes)?;
        traffic.most_unsent = traffic.most_unsent.max(writer.get_write_buffer_size());
        if !without_drain {
            writer.drain().await?;
        }
    }
}
// ANCHOR_END: send_back
