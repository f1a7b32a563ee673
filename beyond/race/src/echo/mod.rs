//! Measures the cost of an echo on the servers of steps 05, 06 and 07, on servers that use the
//! library, on tokio, and on bare epoll.
//!
//! `cargo run --release -p race -- echo` runs this comparison and writes its tables for the book.
//! The clients share the server's core, but only the server's own processor time counts, including
//! its time in the kernel.

mod bare;
mod clients;
pub(crate) mod on_step07;
pub(crate) mod servers;

use anyhow::Result;
use kit::OneCpu;

use crate::Options;
use crate::echo::clients::Clients;
use crate::findings::Findings;
use crate::measuring::{per_operation, raise_descriptor_limit};
use crate::rounds::{Contestant, Figures, compete, table};
use crate::serving::{Serve, Server};

/// The contestant that all other contestants are compared with.
const REFERENCE: &str = "bare epoll";

/// A load: the number of clients, the bytes in each message, and the total number of messages. The
/// clients are in the server's process, so each connection needs two descriptors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    pub(crate) bytes: usize,
    pub(crate) messages: usize,
}

const LOADS: [Load; 5] = [
    Load { connections: 1, bytes: 64, messages: 30_000 },
    Load { connections: 64, bytes: 64, messages: 30_000 },
    Load { connections: 64, bytes: 16 << 10, messages: 15_000 },
    Load { connections: 1000, bytes: 64, messages: 30_000 },
    Load { connections: 1000, bytes: 16 << 10, messages: 15_000 },
];
/// Of a quick run, which checks only that each server serves several clients.
const FEW_CLIENTS: usize = 50;
const FEW_MESSAGES: usize = 200;
/// The number of descriptors for the process itself and for the loops.
const OTHERS: usize = 100;

/// The servers. The reference runs twice, so the table shows how much its own figures vary.
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

/// Measures every load and adds a table for each load.
pub(crate) fn measure(options: &Options, findings: &mut Findings) -> Result<()> {
    let _one_cpu = OneCpu::here();
    let room = raise_descriptor_limit();
    for mut load in LOADS {
        if options.quick {
            load.connections = load.connections.min(FEW_CLIENTS);
            load.messages = FEW_MESSAGES;
        }
        let Load { connections, bytes, .. } = load;
        if 2 * connections + OTHERS > room {
            eprintln!("{connections} connections are more than the limit of {room} allows.");
            continue;
        }
        eprintln!("{connections} connections, {bytes} bytes: {} rounds", options.rounds());
        let table = table(REFERENCE, &race_of(load, options.rounds())?);
        findings.add(&format!("\n**{connections} at a time, {bytes} bytes.**\n\n{table}\n"));
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

/// Starts a server, connects the clients, and returns the cost per echo, without startup and
/// shutdown.
pub(crate) fn nanos_per_echo(serve: Serve, load: Load) -> Result<f64> {
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
    Ok(per_operation(nanos, (turns * load.connections) as u64))
}
