//! The cost of a file over HTTP/1.1: our server on step 07's loop, one with hyper on tokio, and
//! nginx, if it's installed.
//!
//! `cargo run --release -p race -- files` runs this and writes the tables of the book. First the
//! clients share the server's core, and only the server's own processor time counts, in the kernel
//! too. Then both may use all cores, and what counts is the time that passes.

mod clients;
#[path = "../on_tokio.rs"]
mod on_tokio;
mod ours;
#[path = "../serving.rs"]
mod serving;
#[path = "../starting.rs"]
mod starting;
mod with_hyper;
mod with_nginx;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use kit::OneCpu;
use libtest_mimic::Trial;
use race::{BenchmarkOptions, Contestant, Figures, compete, table};

use crate::clients::Clients;
use crate::serving::{Serve, Server};
use crate::starting::{start, trial};

/// The contestant with which ours is compared.
const REFERENCE: &str = "hyper";

/// Returns the contestants' names, and how each is started. Without nginx, the tables lack its
/// line.
fn servers() -> Result<Vec<(&'static str, Serve)>> {
    let mut servers: Vec<(_, Serve)> =
        vec![("serve_files", ours::serve), ("hyper", with_hyper::serve)];
    if with_nginx::program()?.is_some() {
        servers.push(("nginx", with_nginx::serve));
    }
    Ok(servers)
}

/// A file, and how often how many clients at a time ask for it.
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

/// What's measured of a load.
#[derive(Debug, Clone, Copy)]
enum Measure {
    /// The server's processor time.
    Processor,
    /// The time that passes.
    Elapsed,
}

fn main() -> ExitCode {
    start(measure, trials)
}

fn measure(options: &BenchmarkOptions) -> Result<()> {
    for (measure, title) in [
        (Measure::Processor, "processor time of the server"),
        (Measure::Elapsed, "time that passes, on all cores"),
    ] {
        let wanted = |load: &Load| {
            options.only.as_ref().is_none_or(|only| load.title.starts_with(only.as_str()))
        };
        for load in LOADS.into_iter().filter(wanted) {
            let requests = if options.quick { load.requests / 20 } else { load.requests };
            eprintln!("{}, {title}: {} rounds", load.title, options.rounds());
            let figures = race_of(Load { requests, ..load }, options.rounds(), measure)?;
            println!("\n**{}: {title}.**\n\n{}", load.title, table(REFERENCE, &figures));
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

/// The directory that's served.
fn directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("race_files")
}

/// The name of a load's file.
fn name(load: Load) -> String {
    format!("{}.bin", load.size)
}

/// Writes the file, which is in the page cache then.
fn write_file(load: Load) -> Result<()> {
    fs::create_dir_all(directory()).context("make the directory")?;
    fs::write(directory().join(name(load)), vec![b'x'; load.size]).context("write the file")
}

/// Starts a server, connects, and returns what each request costs. Neither start nor end counts.
fn nanos_per_request(serve: Serve, load: Load, measure: Measure) -> Result<f64> {
    let server = Server::start(serve)?;
    let mut clients = Clients::connect(server.address, load.connections, &name(load), load.size)?;
    let turns = load.requests.div_ceil(load.connections);
    let (began, before) = (Instant::now(), server.processor_nanos()?);
    for _ in 0..turns {
        clients.ask()?;
    }
    let nanos = match measure {
        Measure::Processor => u128::from(server.processor_nanos()? - before),
        Measure::Elapsed => began.elapsed().as_nanos(),
    };
    drop(clients);
    server.stop()?;
    #[expect(clippy::cast_precision_loss, reason = "a time need not be exact to the last bit")]
    Ok(nanos as f64 / (turns * load.connections) as f64)
}

/// Every server serves every file a few times, and that costs something.
fn trials() -> Vec<Trial> {
    let trials = LOADS.into_iter().map(|load| {
        trial(&load.size.to_string(), move || {
            let few = Load { requests: 2 * load.connections, ..load };
            let figures = race_of(few, 1, Measure::Processor)?;
            ensure!(figures.iter().all(|it| it.nanos.median > 0.0), "{figures:?}");
            Ok(())
        })
    });
    trials.collect()
}
