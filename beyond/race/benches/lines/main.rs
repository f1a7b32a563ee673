//! The cost of a line: read by the library's `StreamReader`, by tokio's and std's `BufReader`, and
//! by asyncio's streams.
//!
//! `cargo run --release -p race -- lines` runs this and writes the tables of the book. Another
//! process writes the lines to a Unix socket, as fast as they're read. It shares the reader's core,
//! but only the reader's own processor time counts, in the kernel too.

#[path = "../python.rs"]
mod python;
mod readers;
#[path = "../starting.rs"]
mod starting;
mod writer;

use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use kit::OneCpu;
use libtest_mimic::Trial;
use race::{BenchmarkOptions, Contestant, Figures, compete, per_operation, table};

use crate::python::Python;
use crate::readers::Outcome;
use crate::starting::{start, trial};
use crate::writer::Writer;

/// The contestant with which the others are compared.
const REFERENCE: &str = "tokio, `BufReader`";

/// So many lines, each with so many bytes, its `\n` included.
#[derive(Debug, Clone, Copy)]
struct Load {
    length: u64,
    lines: u64,
}

const LOADS: [Load; 2] =
    [Load { length: 20, lines: 2_000_000 }, Load { length: 200, lines: 500_000 }];
/// CPython reads a tenth of the lines, since it takes ten times as long for each.
const PYTHONS_SHARE: u64 = 10;
/// A quick run reads so much less.
const QUICK_SHARE: u64 = 100;

/// Reads all lines of a socket.
type Read = fn(UnixStream) -> Result<Outcome>;

/// The reference runs twice, so that the table shows by how much it differs from itself.
const READERS: [(&str, Read); 5] = [
    ("std, `BufReader`, which blocks", readers::blocking),
    ("the library, `StreamReader`", readers::step07),
    (REFERENCE, readers::tokio),
    ("tokio, `BufReader` again", readers::tokio),
    ("tokio, `BufReader` of 64 KiB", readers::tokio_with_more),
];

fn main() -> ExitCode {
    if let Some(written) = writer::in_this_process() {
        return match written {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error:#}");
                ExitCode::FAILURE
            }
        };
    }
    start(measure, trials)
}

/// Measures both loads, and prints a table for each.
fn measure(options: &BenchmarkOptions) -> Result<()> {
    let _one_cpu = OneCpu::here();
    for load in LOADS {
        eprintln!("lines of {} bytes: {} rounds", load.length, options.rounds());
        let share = if options.quick { QUICK_SHARE } else { 1 };
        let figures = load.compete(options.rounds(), share)?;
        println!("\n**Lines of {} bytes.**\n\n{}", load.length, table(REFERENCE, &figures));
    }
    Ok(())
}

impl Load {
    /// Lets all contestants that are at hand take turns, with a share of the lines.
    fn compete(self, rounds: usize, share: u64) -> Result<Vec<Figures>> {
        let load = Load { lines: self.lines / share, ..self };
        let mut contestants = Vec::new();
        for (name, read) in READERS {
            contestants.push(Contestant { name, run: Box::new(move || load.nanos_per_line(read)) });
        }
        for name in ["asyncio", "uvloop"] {
            let Load { length, lines } = Load { lines: load.lines / PYTHONS_SHARE, ..load };
            let Some(mut python) = Python::start("lines.py", name)? else {
                continue;
            };
            let writer = std::env::current_exe()?;
            let request = format!("{length} {lines} {}", writer.display());
            let run = move || Ok(per_operation(python.run(&request)?, lines));
            contestants.push(Contestant { name, run: Box::new(run) });
        }
        compete(rounds, REFERENCE, &mut contestants)
    }

    /// Returns what each line costs a reader. Neither its start nor its end counts.
    fn nanos_per_line(self, read: Read) -> Result<f64> {
        let (writer, socket) = Writer::start(self.length, self.lines)?;
        let Outcome { lines, bytes, nanos } = read(socket)?;
        writer.wait()?;
        ensure!((lines, bytes) == (self.lines, self.lines * self.length), "{lines}, {bytes} bytes");
        Ok(per_operation(nanos, lines))
    }
}

/// Every contestant reads a few lines, all of them, and that costs something.
fn trials() -> Vec<Trial> {
    let trials = LOADS.into_iter().map(|load| {
        trial(&format!("lines_of_{}", load.length), move || {
            let _one_cpu = OneCpu::here();
            let figures = load.compete(1, QUICK_SHARE)?;
            ensure!(figures.iter().all(|it| it.nanos.median > 0.0), "{figures:?}");
            Ok(())
        })
    });
    trials.collect()
}
