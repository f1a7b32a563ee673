//! `cargo run -p step07_full_loop --example resolver`: twenty lookups at once over one UDP socket.

mod dns;
#[path = "../program/mod.rs"]
mod program;
mod server;

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use lexopt::{Arg, Parser, ValueExt};
use program::say;
use step07_full_loop::{
    Error, Future, Result, TimeoutError, UdpSocket, create_task, gather, get_running_loop, timeout,
};

const HELP: &str = "\
Looks up IPv4 addresses, all at the same time, and asks again for what has no answer after a second.
    cargo run -p step07_full_loop --example resolver -- [options] [NAME...]
    --server ADDRESS   the name server, at port 53 or another one: 9.9.9.9, 127.0.0.1:5353
Without --server, it asks one in the same process, which knows host1.example to host19.example,
answers out of order, and loses some questions. Without a NAME, it looks up those, and host20.example.
";

type Options = (Option<SocketAddr>, Vec<String>);

fn main() -> ExitCode {
    program::start(HELP, read_options, look_up_all)
}

fn read_options(mut arguments: Parser) -> std::result::Result<Option<Options>, lexopt::Error> {
    let (mut server, mut names) = (None, Vec::new());
    let at_port_53 = |text: &str| text.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, 53));
    let address = |text: &str| text.parse().or_else(|_| at_port_53(text));
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Long("server") => server = Some(arguments.value()?.parse_with(address)?),
            Arg::Long("help") | Arg::Short('h') => return Ok(None),
            Arg::Value(name) => names.push(name.string()?.to_ascii_lowercase()),
            other => return Err(other.unexpected()),
        }
    }
    if names.is_empty() {
        names = (1..=20).map(|number| format!("host{number}.example")).collect();
    }
    Ok(Some((server, names)))
}

async fn look_up_all((server, names): Options) -> Result<()> {
    let server = server.map_or_else(server::start, Ok)?;
    let resolver = Resolver::connect(server).await?;
    say!("asks {server} for {} names at once", names.len());
    let began = Instant::now();
    let times = gather(names.into_iter().map(|name| show(Rc::clone(&resolver), name)))?.await?;
    let sum: Duration = times.iter().sum();
    say!("{:.2?} for all; their waiting times add up to {sum:.2?}", began.elapsed());
    Ok(())
}

/// Looks a name up, prints the outcome, and returns how long it took.
async fn show(resolver: Rc<Resolver>, name: String) -> Result<Duration> {
    let began = Instant::now();
    let text = match resolver.look_up(&name).await {
        Ok(addresses) => format!("{addresses:?}"),
        Err(error) if error.is_cancelled() => return Err(error),
        Err(error) => error.to_string(),
    };
    say!("{:>5} ms  {name}  {text}", began.elapsed().as_millis());
    Ok(began.elapsed())
}

/// The lookups that have no answer yet, by the number and the name of their questions.
type Waiting = HashMap<(u16, String), Future<Vec<Ipv4Addr>>>;

struct Resolver {
    socket: UdpSocket,
    waiting: RefCell<Waiting>,
}

impl Resolver {
    async fn connect(server: SocketAddr) -> Result<Rc<Self>> {
        let socket = UdpSocket::bind(if server.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" }).await?;
        // From here on, the kernel drops what others send.
        socket.connect(server).await?;
        let resolver = Rc::new(Resolver { socket, waiting: RefCell::default() });
        create_task(Rc::clone(&resolver).receive())?;
        Ok(resolver)
    }

    // ANCHOR: look_up
    async fn look_up(&self, name: &str) -> Result<Vec<Ipv4Addr>> {
        match self.ask(name).await {
            Err(error) if TimeoutError::is(&error) => self.ask(name).await,
            outcome => outcome,
        }
    }

    async fn ask(&self, name: &str) -> Result<Vec<Ipv4Addr>> {
        // A forger has to guess this number (and should have to guess the port: RFC 5452).
        let id = fastrand::u16(..);
        let question = dns::question(id, name).map_err(Error::other)?;
        let (key, answered) = ((id, name.to_owned()), get_running_loop()?.create_future());
        self.waiting.borrow_mut().insert(key.clone(), answered.clone());
        let exchange = async {
            self.socket.send(&question).await?;
            answered.await
        };
        let outcome = timeout(Duration::from_secs(1))?.run(exchange).await;
        self.waiting.borrow_mut().remove(&key);
        outcome
    }

    /// Hands each answer to the lookup that waits for it. If there's none, it's late, or forged.
    async fn receive(self: Rc<Self>) -> Result<()> {
        let mut buffer = [0; 512];
        loop {
            let received = self.socket.recv(&mut buffer).await;
            if received.as_ref().is_err_and(Error::is_cancelled) {
                return received.map(drop);
            }
            let Ok(packet) = received.map(|count| &buffer[..count]) else { continue };
            let Ok((id, name, outcome)) = dns::answer(packet) else { continue };
            let waiting = self.waiting.borrow_mut().remove(&(id, name));
            let Some(answered) = waiting else { continue };
            // This fails if the time is up in the same tick.
            let _ = match outcome {
                Ok(addresses) => answered.set_result(addresses),
                Err(3) => answered.set_exception(Error::other("there's no such name")),
                Err(code) => answered.set_exception(Error::other(format!("error {code}"))),
            };
        }
    }
    // ANCHOR_END: look_up
}
