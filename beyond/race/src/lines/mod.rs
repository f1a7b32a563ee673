//! Measures the cost of reading a line with the library's `StreamReader`, with tokio's and std's
//! `BufReader`, and with asyncio's streams.
//!
//! `cargo run --release -p race -- lines` runs this comparison and writes its tables for the book.
//! Another process writes the lines to a Unix socket as fast as the reader takes them. That process
//! shares the reader's core, but only the reader's own processor time counts, including its time in
//! the kernel.

mod readers;
mod writer;

use std::os::unix::net::UnixStream;

use anyhow::{Result, ensure};
use kit::OneCpu;

use crate::Options;
use crate::findings::Findings;
use crate::lines::readers::Outcome;
use crate::lines::writer::Writer;
use crate::measuring::per_operation;
use crate::python::Python;
use crate::rounds::{Contestant, Figures, compete, table};

pub(crate) use writer::in_this_process as writer_in_this_process;

/// The contestant that all other contestants are compared with.
const REFERENCE: &str = "tokio, `BufReader`";

/// A load: the length of each line in bytes, including its `\n`, and the number of lines.
#[derive(Debug, Clone, Copy)]
struct Load {
    length: u64,
    lines: u64,
}

const LOADS: [Load; 2] =
    [Load { length: 20, lines: 2_000_000 }, Load { length: 200, lines: 500_000 }];
/// CPython reads a tenth of the lines, since each line takes it more than ten times as long.
const PYTHONS_SHARE: u64 = 10;

/// Reads all lines from a socket.
type Read = fn(UnixStream) -> Result<Outcome>;

/// The readers in Rust. The reference runs twice, so the table shows how much its own figures vary.
const READERS: [(&str, Read); 5] = [
    ("std, `BufReader`, which blocks", readers::blocking),
    ("the library, `StreamReader`", readers::step07),
    (REFERENCE, readers::tokio),
    ("tokio, `BufReader` again", readers::tokio),
    ("tokio, `BufReader` of 64 KiB", readers::tokio_with_more),
];

/// Measures both loads and adds a table for each load.
pub(crate) fn measure(options: &Options, findings: &mut Findings) -> Result<()> {
    let _one_cpu = OneCpu::here();
    for load in LOADS {
        eprintln!("lines of {} bytes: {} rounds", load.length, options.rounds());
        let figures = load.compete(options)?;
        let table = table(REFERENCE, &figures);
        findings.add(&format!("\n**Lines of {} bytes.**\n\n{table}\n", load.length));
    }
    Ok(())
}

impl Load {
    /// Makes all available contestants take turns and returns their figures.
    fn compete(self, options: &Options) -> Result<Vec<Figures>> {
        let load = Load { lines: options.share_of(self.lines), ..self };
        let mut contestants = Vec::new();
        for (name, read) in READERS {
            contestants.push(Contestant { name, run: Box::new(move || load.nanos_per_line(read)) });
        }
        if let Some(mut python) = Python::start("lines.py")? {
            let Load { length, lines } = Load { lines: load.lines / PYTHONS_SHARE, ..load };
            let writer = std::env::current_exe()?;
            let request = format!("{length} {lines} {}", writer.display());
            let run = move || Ok(per_operation(python.run(&request)?, lines));
            contestants.push(Contestant { name: "asyncio", run: Box::new(run) });
        }
        compete(options.rounds(), REFERENCE, &mut contestants)
    }

    /// Returns a reader's cost per line, without startup and shutdown.
    fn nanos_per_line(self, read: Read) -> Result<f64> {
        let (writer, socket) = Writer::start(self.length, self.lines)?;
        let Outcome { lines, bytes, nanos } = read(socket)?;
        writer.wait()?;
        ensure!((lines, bytes) == (self.lines, self.lines * self.length), "{lines}, {bytes} bytes");
        Ok(per_operation(nanos, lines))
    }
}
