//! The readers in Rust. Each reads all lines, one at a time, and counts them.
//!
//! Possible unfairness, against ours: `next_line` returns a new vector for each line, just as
//! asyncio's `readline` returns a new object, whereas tokio's and std's `read_until` fill the
//! caller's vector. In our favour: our reader reads up to 64 KiB at once, whereas a `BufReader`
//! reads 8 KiB by default. So one of tokio's readers has a buffer of 64 KiB as well.

use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use anyhow::Result;
use asyncio::{open_connection_on, run};
use tokio::io::{AsyncBufReadExt, BufReader as TokioReader};

use crate::measuring::{nanos_since, processor_time};

/// The number of bytes that a `BufReader` reads at once by default.
const DEFAULT_CAPACITY: usize = 8 * 1024;
/// The number of bytes that our reader reads at once.
const MORE: usize = 64 * 1024;

/// The numbers of lines and bytes that a reader has read, and its thread's processor time.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
    pub(crate) nanos: u64,
}

/// Counts the lines and bytes that a reader reads.
struct Count {
    lines: u64,
    bytes: u64,
    began: Duration,
}

impl Count {
    fn begin() -> Self {
        Count { lines: 0, bytes: 0, began: processor_time() }
    }

    fn add(&mut self, line: &[u8]) {
        self.lines += 1;
        self.bytes += line.len() as u64;
    }

    fn end(&self) -> Outcome {
        Outcome { lines: self.lines, bytes: self.bytes, nanos: nanos_since(self.began) }
    }
}

pub(crate) fn step07(socket: UnixStream) -> Result<Outcome> {
    let outcome = run(async move {
        let (mut reader, _writer) = open_connection_on(socket)?;
        let mut count = Count::begin();
        while let Some(line) = reader.next_line().await? {
            count.add(&line);
        }
        Ok(count.end())
    })?;
    Ok(outcome)
}

pub(crate) fn tokio(socket: UnixStream) -> Result<Outcome> {
    on_tokio(socket, DEFAULT_CAPACITY)
}

pub(crate) fn tokio_with_more(socket: UnixStream) -> Result<Outcome> {
    on_tokio(socket, MORE)
}

fn on_tokio(socket: UnixStream, capacity: usize) -> Result<Outcome> {
    socket.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let socket = tokio::net::UnixStream::from_std(socket)?;
        let mut reader = TokioReader::with_capacity(capacity, socket);
        let (mut line, mut count) = (Vec::new(), Count::begin());
        while reader.read_until(b'\n', &mut line).await? > 0 {
            count.add(&line);
            line.clear();
        }
        Ok(count.end())
    })
}

/// Reads without a loop, which shows the cost of a line if nothing else has to run on the thread.
pub(crate) fn blocking(socket: UnixStream) -> Result<Outcome> {
    let mut reader = BufReader::new(socket);
    let (mut line, mut count) = (Vec::new(), Count::begin());
    while reader.read_until(b'\n', &mut line)? > 0 {
        count.add(&line);
        line.clear();
    }
    Ok(count.end())
}
