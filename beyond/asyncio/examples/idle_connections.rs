//! Measures the cost of idle connections in memory and time.
//!
//! `cargo run --release -p asyncio --example idle_connections`
//!
//! A server of each kind gets ten thousand clients, each of which has its echo and then says
//! nothing more. The clients are in a process of their own, so each side needs one descriptor per
//! client.

use std::env;
use std::fs;
use std::io::{self, Read, Write, stdin, stdout};
use std::net::{self, SocketAddr};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

use asyncio::{
    EventLoop, EventLoopExt as _, LoopResult, Process, Protocol, Read as Outcome, Result,
    StreamReader, StreamWriter, TcpListener, TcpStream, Transport, create_subprocess, create_task,
    get_running_loop, start_server,
};
use kit::cost::resident_bytes;
use kit::memory::{Counting, Memory};
use step01_fd::raise_descriptor_limit;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const CLIENTS: usize = 10_000;
const KINDS: [&str; 3] = ["sockets", "streams", "transports"];

fn main() -> anyhow::Result<()> {
    raise_descriptor_limit()?;
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments[..] {
        [] => Ok(KINDS.into_iter().try_for_each(in_a_process)?),
        [kind] => measure(kind),
        [_, address, count] => Ok(stay(address, count.parse().unwrap_or(CLIENTS))?),
        _ => Ok(()),
    }
}

/// A process for each kind, so that none finds memory that another one has freed.
fn in_a_process(kind: &str) -> io::Result<()> {
    Command::new(env::current_exe()?).arg(kind).status().map(drop)
}

/// A loop with a server, and a client that isn't idle.
struct EchoSetup {
    event_loop: EventLoop,
    address: SocketAddr,
    talker: Rc<TcpStream>,
}

impl EchoSetup {
    fn new(kind: &str) -> LoopResult<Self> {
        let (event_loop, kind) = (EventLoop::new()?, kind.to_owned());
        let address = event_loop.run_until_complete(async move { start(&kind).await })?;
        let talker = async move { Ok(Rc::new(TcpStream::connect(address).await?)) };
        let talker = event_loop.run_until_complete(talker)?;
        Ok(EchoSetup { event_loop, address, talker })
    }

    fn time_of_an_echo(&self) -> LoopResult<Duration> {
        const ECHOES: u32 = 200;
        let talker = Rc::clone(&self.talker);
        let began = Instant::now();
        self.event_loop.run_until_complete(async move {
            for _ in 0..ECHOES {
                talker.write_all(b"hello\n").await?;
                talker.read(&mut [0; 16]).await?;
            }
            Ok(())
        })?;
        Ok(began.elapsed() / ECHOES)
    }
}

fn measure(kind: &str) -> anyhow::Result<()> {
    let (empty, crowded) = (EchoSetup::new(kind)?, EchoSetup::new(kind)?);
    let (used, resident, slab) = (Memory::until_now().in_use, resident_bytes()?, slab()?);
    let _clients = crowded.event_loop.run_until_complete(connect(crowded.address))?;
    let used = (Memory::until_now().in_use - used) / isize::try_from(CLIENTS).unwrap_or(1);
    let resident = (resident_bytes()? - resident) / CLIENTS;
    // Both ends of each connection are in this machine's kernel.
    let kernel = crate::slab()?.saturating_sub(slab) / CLIENTS / 2;
    println!("{kind}: {used} bytes each, {resident} in RAM, and {kernel} in the kernel");
    let (without, with) = times(&empty, &crowded)?;
    println!("  an echo takes {without:?} without them, {with:?} with {CLIENTS}");
    Ok(())
}

/// Returns the medians of many rounds, in which both loops take turns.
fn times(one: &EchoSetup, other: &EchoSetup) -> LoopResult<(Duration, Duration)> {
    let (mut of_one, mut of_other) = (Vec::new(), Vec::new());
    for _ in 0..301 {
        of_one.push(one.time_of_an_echo()?);
        of_other.push(other.time_of_an_echo()?);
    }
    of_one.sort();
    of_other.sort();
    Ok((of_one[150], of_other[150]))
}

async fn start(kind: &str) -> Result<SocketAddr> {
    let any_port = "127.0.0.1:0";
    match kind {
        "streams" => Ok(start_server(echo_stream, any_port).await?.local_addrs()?[0]),
        "transports" => {
            let server = get_running_loop()?.create_server(|| Echo, any_port).await?;
            Ok(server.local_addrs()?[0])
        }
        _ => {
            let listener = TcpListener::bind(any_port)?;
            let address = listener.local_addr()?;
            create_task(accept(listener))?;
            Ok(address)
        }
    }
}

async fn accept(listener: TcpListener) -> Result<()> {
    loop {
        let (client, _address) = listener.accept().await?;
        create_task(echo_socket(client))?;
    }
}

/// Has a buffer only while there's something to read.
async fn echo_socket(client: TcpStream) -> Result<()> {
    loop {
        client.readable().await?;
        let mut buffer = vec![0; 4096];
        match client.try_read(&mut buffer)? {
            Outcome::Bytes(count) => client.write_all(&buffer[..count]).await?,
            Outcome::WouldBlock => {}
            Outcome::End => return Ok(()),
        }
    }
}

async fn echo_stream(mut reader: StreamReader, writer: StreamWriter) -> Result<()> {
    while let Some(line) = reader.next_line().await? {
        writer.write(&line)?;
        writer.drain().await?;
    }
    Ok(())
}

struct Echo;

impl Protocol for Echo {
    fn data_received(&self, transport: &Transport, data: &[u8]) -> Result<()> {
        transport.write(data)
    }
}

/// Starts the clients' process, which says when all of them have had their echo.
async fn connect(address: SocketAddr) -> Result<Rc<Process>> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["clients", &address.to_string(), &CLIENTS.to_string()]);
    let clients = create_subprocess(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
    if let Some(output) = &clients.stdout {
        output.read(&mut [0; 16]).await?;
    }
    Ok(Rc::new(clients))
}

/// Connects and stays until its input ends.
fn stay(address: &str, count: usize) -> io::Result<()> {
    let mut clients = Vec::new();
    for _ in 0..count {
        let mut client = net::TcpStream::connect(address)?;
        client.write_all(b"hello\n")?;
        client.read_exact(&mut [0; 6])?;
        clients.push(client);
    }
    stdout().write_all(b"ready\n")?;
    stdin().read_to_end(&mut Vec::new()).map(drop)
}

/// Returns the bytes of the kernel's own objects; see `proc_meminfo(5)`.
fn slab() -> io::Result<usize> {
    let text = fs::read_to_string("/proc/meminfo")?;
    let line = text.lines().find_map(|line| line.strip_prefix("Slab:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    Ok(kib.unwrap_or(0) * 1024)
}
