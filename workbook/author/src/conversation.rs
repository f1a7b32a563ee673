//! Talks to a file server or to an echo server. In the conversation with an echo server, one client
//! disconnects, and another sends a lot before it reads.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;
use kit::proc::Stat;
use rustix::process::{Pid, Signal, kill_process};

/// The time limit for a conversation. The limit is generous even for a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);

/// Starts an echo server and talks to it. An outer error means that we couldn't start the server or
/// wait for its end. An inner error means that the server failed.
pub(super) fn converse(
    command: &mut Command,
    stops_by_signal: bool,
) -> anyhow::Result<io::Result<()>> {
    with_server(command, |server| talk(server, stops_by_signal))
}

/// Starts a file server, asks for a missing file, fetches an existing file, and stops the server
/// with a signal.
///
/// The missing file's name is new, so the kernel has nothing cached about it, and the server has to
/// look it up on a thread.
pub(super) fn fetch(command: &mut Command, file: &str) -> anyhow::Result<io::Result<()>> {
    with_server(command, |server| {
        let line = first_line_of(server)?;
        let address = line.split_once("http://").and_then(|(_, rest)| rest.split_once('/'));
        let (address, _) = address.ok_or(io::ErrorKind::UnexpectedEof)?;
        ask(address, &format!("not-there-{}", server.id()), "404")?;
        ask(address, file, "200")?;
        stop(server)
    })
}

fn ask(address: &str, file: &str, status: &str) -> io::Result<()> {
    let mut client = connect(address)?;
    write!(client, "GET /{file} HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    client.read_to_end(&mut answer)?;
    let is_expected = answer.starts_with(format!("HTTP/1.1 {status} ").as_bytes());
    if is_expected { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
}

fn with_server(
    command: &mut Command,
    talk: impl FnOnce(&mut Child) -> io::Result<()>,
) -> anyhow::Result<io::Result<()>> {
    let mut server = command.stdout(Stdio::piped()).spawn().context("start the server")?;
    let (talking, is_over) = mpsc::channel();
    let watchdog = kill_after_patience(&server, is_over);
    let outcome = talk(&mut server);
    drop(talking);
    // The watchdog has no reason to panic. Even if it did, we'd still wait for the server below.
    let _ = watchdog.join();
    // An error means that the server has exited by itself.
    let _ = server.kill();
    server.wait().context("wait for the server")?;
    Ok(outcome)
}

/// Kills the server if the conversation takes too long, since a conversation with a hanging server
/// might never end.
fn kill_after_patience(server: &Child, is_over: Receiver<()>) -> JoinHandle<()> {
    let server = Pid::from_child(server);
    thread::spawn(move || {
        if is_over.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            let _ = kill_process(server, Signal::KILL);
        }
    })
}

fn talk(server: &mut Child, stops_by_signal: bool) -> io::Result<()> {
    let address = address_of(server)?;
    let (mut one, mut other) = (connect(&address)?, connect(&address)?);
    for client in [&mut one, &mut other] {
        exchange(client, b"ping")?;
    }
    drop(one);
    slow_reader(&mut connect(&address)?, server)?;
    exchange(&mut other, b"still there?")?;
    if stops_by_signal { stop(server) } else { Ok(()) }
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let client = TcpStream::connect(address)?;
    client.set_read_timeout(Some(PATIENCE))?;
    Ok(client)
}

fn stop(server: &mut Child) -> io::Result<()> {
    let _ = kill_process(Pid::from_child(server), Signal::TERM);
    // The watchdog kills a server that doesn't stop.
    if server.wait()?.success() { Ok(()) } else { Err(io::ErrorKind::Other.into()) }
}

/// Reads the address that a server prints on its first line. Fails with `UnexpectedEof` if the
/// server printed something else or panicked without printing anything.
fn address_of(server: &mut Child) -> io::Result<String> {
    let line = first_line_of(server)?;
    let address = line.trim_end().strip_prefix("listening on ");
    address.map(str::to_owned).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

fn first_line_of(server: &mut Child) -> io::Result<String> {
    let output = server.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    Ok(line)
}

fn exchange(client: &mut TcpStream, message: &[u8]) -> io::Result<()> {
    client.write_all(message)?;
    let mut answer = vec![0; message.len()];
    client.read_exact(&mut answer)?;
    if answer == message { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// Sends until every buffer between us and the server is full, and only then reads.
fn slow_reader(client: &mut TcpStream, server: &Child) -> io::Result<()> {
    client.set_nonblocking(true)?;
    let message = vec![7; 1 << 16];
    let mut sent = 0;
    let mut is_server_asleep = false;
    loop {
        match client.write(&message) {
            Ok(count) => sent += count,
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
            // The server is asleep and there's still no room in the buffers, so the server is
            // waiting for us to read.
            Err(_) if is_server_asleep => break,
            Err(_) => is_server_asleep = is_asleep(server)?,
        }
    }
    client.set_nonblocking(false)?;
    let mut answer = vec![0; sent];
    client.read_exact(&mut answer)
}

fn is_asleep(server: &Child) -> io::Result<bool> {
    let dir = format!("/proc/{}", server.id());
    Ok(Stat::of(Path::new(&dir))?.is_asleep())
}
