//! Measures the cost of serving a file over HTTP/1.1 with our server on step 07's loop, with hyper
//! on tokio, and with nginx, if it's installed.
//!
//! `cargo run --release -p race -- files` runs this comparison and writes its tables for the book.
//! In the first half, the clients share the server's core, and only the server's own processor time
//! counts, including its time in the kernel. In the second half, clients and servers may use all
//! cores, and the elapsed time counts.

mod clients;
mod ours;
mod with_hyper;
mod with_nginx;

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use kit::OneCpu;

use crate::Options;
use crate::files::clients::Clients;
use crate::findings::Findings;
use crate::measuring::{per_operation, scratch_dir};
use crate::rounds::{Contestant, Figures, compete, table};
use crate::serving::{Serve, Server};

/// The contestant that all other contestants are compared with.
const REFERENCE: &str = "hyper";

/// Returns the contestants' names, each with the function that starts its server. If nginx isn't
/// installed, the tables leave it out.
fn servers() -> Result<Vec<(&'static str, Serve)>> {
    let mut servers: Vec<(_, Serve)> =
        vec![("serve_files", ours::serve), ("hyper", with_hyper::serve)];
    if with_nginx::program()?.is_some() {
        servers.push(("nginx", with_nginx::serve));
    }
    Ok(servers)
}

/// A load: a file, the number of clients that request it at once, and the total number of requests.
#[derive(Debug, Clone, Copy)]
struct Load {
    title: &'static str,
    size: usize,
    connections: usize,
    requests: usize,
}

const LOADS: [Load; 3] = [
    Load { title: "1 KiB, 64 connections", size: 1 << 10, connections: 64, requests: 40_000 },
    Load { title: "64 KiB, 16 connections", size: 64 << 10, connections: 16, requests: 8_000 },
    Load { title: "5 MiB, 4 connections", size: 5 << 20, connections: 4, requests: 200 },
];

/// The kind of time that a race measures.
#[derive(Debug, Clone, Copy)]
enum Measure {
    /// The server's processor time.
    Processor,
    /// The elapsed time.
    Elapsed,
}

/// Measures each load in both ways and adds a table for each combination.
pub(crate) fn measure(options: &Options, findings: &mut Findings) -> Result<()> {
    for (measure, title) in [
        (Measure::Processor, "processor time of the server"),
        (Measure::Elapsed, "time that passes, on all cores"),
    ] {
        for load in LOADS.into_iter().filter(|load| options.wants(load.title)) {
            let requests = if options.quick { load.requests / 20 } else { load.requests };
            eprintln!("{}, {title}: {} rounds", load.title, options.rounds());
            let figures = race_of(Load { requests, ..load }, options.rounds(), measure)?;
            let table = table(REFERENCE, &figures);
            findings.add(&format!("\n**{}: {title}.**\n\n{table}\n", load.title));
        }
    }
    Ok(())
}

fn race_of(load: Load, rounds: usize, measure: Measure) -> Result<Vec<Figures>> {
    write_file(load)?;
    let contestant = |(name, serve): (_, Serve)| {
        let run = move || match measure {
            Measure::Processor => {
                let _one_cpu = OneCpu::here();
                nanos_per_request(serve, load, measure)
            }
            Measure::Elapsed => nanos_per_request(serve, load, measure),
        };
        Contestant { name, run: Box::new(run) }
    };
    let mut contestants: Vec<_> = servers()?.into_iter().map(contestant).collect();
    compete(rounds, REFERENCE, &mut contestants)
}

/// Returns the directory that the servers serve.
fn directory() -> PathBuf {
    scratch_dir().join("files")
}

/// Returns the name of the file that a load requests.
fn name(load: Load) -> String {
    format!("{}.bin", load.size)
}

/// Writes the file, which also puts it into the page cache.
fn write_file(load: Load) -> Result<()> {
    fs::create_dir_all(directory()).context("make the directory")?;
    fs::write(directory().join(name(load)), vec![b'x'; load.size]).context("write the file")
}

/// Starts a server, connects the clients, and returns the cost per request, without startup and
/// shutdown.
fn nanos_per_request(serve: Serve, load: Load, measure: Measure) -> Result<f64> {
    let server = Server::start(serve)?;
    let mut clients = Clients::connect(server.address, load.connections, &name(load), load.size)?;
    let turns = load.requests.div_ceil(load.connections);
    let (began, before) = (Instant::now(), server.processor_nanos()?);
    for _ in 0..turns {
        clients.ask()?;
    }
    let nanos = match measure {
        Measure::Processor => server.processor_nanos()? - before,
        Measure::Elapsed => u64::try_from(began.elapsed().as_nanos())?,
    };
    drop(clients);
    server.stop()?;
    Ok(per_operation(nanos, (turns * load.connections) as u64))
}
