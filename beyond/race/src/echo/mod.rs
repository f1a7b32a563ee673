//! The cost of an echo: the servers of steps 05, 06 and 07, one on tokio, and one on bare epoll.
//!
//! `cargo run --release -p race -- echo` runs this and writes the tables of the book. The clients
//! share the server's core, but only the server's own processor time counts, including the
//! kernel's.

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

/// The contestant that the others are compared with.
const REFERENCE: &str = "bare epoll";

/// A load: the number of clients, the bytes that each sends at a time, and the number of all
/// messages. The clients are in the server's process, so each needs two descriptors.
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
const FEW_MESSAGES: usize = 1000;
/// The number of descriptors of the process itself and of the loops.
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

/// Measures all loads and adds a table for each.
pub(crate) fn measure(options: &Options, findings: &mut Findings) -> Result<()> {
    let _one_cpu = OneCpu::here();
    let room = raise_descriptor_limit();
    for mut load in LOADS {
        let Load { connections, bytes, .. } = load;
        if 2 * connections + OTHERS > room {
            eprintln!("{connections} connections are more than the limit of {room} allows.");
            continue;
        }
        if options.quick {
            load.messages = FEW_MESSAGES;
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

/// Starts a server, connects, and returns the cost of each echo. Neither start nor end counts.
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
