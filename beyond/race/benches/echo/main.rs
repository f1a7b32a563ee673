//! The cost of an echo: the servers of steps 05, 06 and 07, one on tokio, and one on bare epoll.
//!
//! `cargo run --release -p race -- echo` runs this and writes the tables of the book. The clients
//! share the server's core, but only the server's own processor time counts, in the kernel too.

mod bare;
mod clients;
mod on_step07;
#[path = "../on_tokio.rs"]
mod on_tokio;
mod servers;
#[path = "../serving.rs"]
mod serving;
#[path = "../starting.rs"]
mod starting;

use std::process::ExitCode;

use anyhow::{Result, ensure};
use kit::OneCpu;
use libtest_mimic::Trial;
use race::{BenchmarkOptions, Contestant, Figures, compete, raise_descriptor_limit, table};

use crate::clients::Clients;
use crate::serving::{Serve, Server};
use crate::starting::{start, trial};

/// The contestant with which the others are compared.
const REFERENCE: &str = "bare epoll";

/// How many clients send how many bytes at a time, and how many messages they send in all. The
/// clients are in the server's process, so each needs two descriptors.
#[derive(Debug, Clone, Copy)]
struct Load {
    connections: usize,
    bytes: usize,
    messages: usize,
}

const LOADS: [Load; 5] = [
    Load { connections: 1, bytes: 64, messages: 30_000 },
    Load { connections: 64, bytes: 64, messages: 30_000 },
    Load { connections: 64, bytes: 16 << 10, messages: 15_000 },
    Load { connections: 1000, bytes: 64, messages: 30_000 },
    Load { connections: 1000, bytes: 16 << 10, messages: 15_000 },
];
const FEW_MESSAGES: usize = 1000;
/// The descriptors of the process itself and of the loops.
const OTHERS: usize = 100;

/// The reference runs twice, so that the table shows by how much it differs from itself.
const SERVERS: [(&str, Serve); 8] = [
    (REFERENCE, bare::serve),
    ("bare epoll again", bare::serve),
    ("step 05", servers::step05),
    ("step 06", servers::step06),
    ("step 07, its server", on_step07::tasks),
    ("the library, StreamReader", on_step07::streams),
    ("the library, Protocol", on_step07::protocol),
    ("tokio", servers::tokio),
];

fn main() -> ExitCode {
    start(measure, trials)
}

/// Measures all loads, and prints a table for each.
fn measure(options: &BenchmarkOptions) -> Result<()> {
    let _one_cpu = OneCpu::here();
    let room = usize::try_from(raise_descriptor_limit()).unwrap_or(usize::MAX);
    for mut load in LOADS {
        let Load { connections, bytes, .. } = load;
        if 2 * connections + OTHERS > room {
            println!("\n{connections} connections are more than the limit of {room} allows.");
            continue;
        }
        if options.quick {
            load.messages = FEW_MESSAGES;
        }
        eprintln!("{connections} connections, {bytes} bytes: {} rounds", options.rounds());
        let figures = race_of(load, options.rounds())?;
        println!("\n**{connections} at a time, {bytes} bytes.**\n\n{}", table(REFERENCE, &figures));
    }
    Ok(())
}

fn race_of(load: Load, rounds: usize) -> Result<Vec<Figures>> {
    let contestant = |(name, serve)| {
        let run = move || nanos_per_echo(serve, load);
        Contestant { name, run: Box::new(run) }
    };
    compete(rounds, REFERENCE, &mut SERVERS.map(contestant))
}

/// Starts a server, connects, and returns what each echo costs it. Neither start nor end counts.
fn nanos_per_echo(serve: Serve, load: Load) -> Result<f64> {
    let server = Server::start(serve)?;
    let mut clients = Clients::connect(server.address, load.connections, load.bytes)?;
    let before = server.processor_nanos()?;
    let turns = load.messages.div_ceil(load.connections);
    for _ in 0..turns {
        clients.talk()?;
    }
    let nanos = server.processor_nanos()? - before;
    drop(clients);
    server.stop()?;
    #[expect(clippy::cast_precision_loss, reason = "a time need not be exact to the last bit")]
    Ok(nanos as f64 / (turns * load.connections) as f64)
}

/// Every server echoes a few messages, and costs something.
fn trials() -> Vec<Trial> {
    let trials = [(1, 64), (64, 64), (8, 16 << 10)].into_iter().map(|(connections, bytes)| {
        trial(&format!("connections_{connections}_of_{bytes}"), move || {
            let _one_cpu = OneCpu::here();
            let figures = race_of(Load { connections, bytes, messages: 100 }, 1)?;
            ensure!(figures.iter().all(|it| it.nanos.median > 0.0), "{figures:?}");
            Ok(())
        })
    });
    trials.collect()
}
