//! The cost of an echo: the servers of steps 05 and 06, and one on tokio.
//!
//! `cargo run --release -p race -- echo` runs this and writes the tables of the book. The clients
//! share the server's core, but only the server's own processor time counts, in the kernel too.

mod clients;
mod servers;
#[path = "../serving.rs"]
mod serving;
#[path = "../starting.rs"]
mod starting;

use std::process::ExitCode;

use anyhow::{Result, ensure};
use kit::OneCpu;
use libtest_mimic::Trial;
use race::{Contestant, Figures, Options, compete, raise_descriptor_limit, table};

use crate::clients::Clients;
use crate::serving::{Serve, Server};
use crate::starting::{start, trial};

/// The contestant with which the others are compared.
const REFERENCE: &str = "tokio";
/// The numbers of connections. The clients are in the same process, so each needs two descriptors.
const CONNECTIONS: [usize; 3] = [1, 64, 1000];
const MESSAGES: usize = 30_000;
const FEW_MESSAGES: usize = 1000;
/// The descriptors of the process itself and of the loops.
const OTHERS: usize = 100;

const SERVERS: [(&str, Serve); 3] =
    [("step 05", servers::step05), ("step 06", servers::step06), ("tokio", servers::tokio)];

fn main() -> ExitCode {
    start(measure, trials)
}

/// Measures echoes with few and many connections, and prints a table for each number.
fn measure(options: &Options) -> Result<()> {
    let _one_cpu = OneCpu::here();
    let room = usize::try_from(raise_descriptor_limit()).unwrap_or(usize::MAX);
    let messages = if options.quick { FEW_MESSAGES } else { MESSAGES };
    for connections in CONNECTIONS {
        if 2 * connections + OTHERS > room {
            println!("\n{connections} connections are more than the limit of {room} allows.");
            continue;
        }
        eprintln!("{connections} connections: {} rounds", options.rounds());
        let figures = race_of(connections, options.rounds(), messages)?;
        println!("\n**{connections} at a time.**\n\n{}", table(REFERENCE, &figures));
    }
    Ok(())
}

fn race_of(connections: usize, rounds: usize, messages: usize) -> Result<Vec<Figures>> {
    let contestant = |(name, serve)| {
        let run = move || nanos_per_echo(serve, connections, messages);
        Contestant { name, run: Box::new(run) }
    };
    compete(rounds, REFERENCE, &mut SERVERS.map(contestant))
}

/// Starts a server, connects, and returns what each echo costs it. Neither start nor end counts.
fn nanos_per_echo(serve: Serve, connections: usize, messages: usize) -> Result<f64> {
    let server = Server::start(serve)?;
    let mut clients = Clients::connect(server.address, connections)?;
    let before = server.processor_nanos()?;
    let turns = messages.div_ceil(connections);
    for _ in 0..turns {
        clients.talk()?;
    }
    let nanos = server.processor_nanos()? - before;
    drop(clients);
    server.stop()?;
    #[expect(clippy::cast_precision_loss, reason = "a time need not be exact to the last bit")]
    Ok(nanos as f64 / (turns * connections) as f64)
}

/// Every server echoes a few messages, and costs something.
fn trials() -> Vec<Trial> {
    let trials = [1, 64].into_iter().map(|connections| {
        trial(&format!("connections_{connections}"), move || {
            let _one_cpu = OneCpu::here();
            let figures = race_of(connections, 1, 100)?;
            ensure!(figures.iter().all(|it| it.nanos.median > 0.0), "{figures:?}");
            Ok(())
        })
    });
    trials.collect()
}
