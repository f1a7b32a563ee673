//! Trials of the cost of `flush`.

use std::fs::File;
use std::io::{Read, Write};
use std::time::Duration;

use kit::Observer;
use kit::cost::{cpu_time_of, growth, within};
use kit::memory::Memory;
use scene::{Program, Transcript, say, trial};
use step01_fd::{Outbox, pipe, pipe_with_capacity};

use super::answer::{count, outcome};
use crate::scenes::page_size;

/// A flush whose system calls are counted.
#[derive(Debug, Clone, Copy)]
enum Flush {
    NothingUnsent,
    RoomForAll {
        bytes: usize,
    },
    /// The ring buffer has wrapped around its end, unless the layer has moved the bytes.
    RoomForAllOfARing,
    RoomForAPage,
    NoRoom,
    /// The pipe takes more than half of the bytes.
    RoomForHalf,
    /// The same flushes, once with few bytes that stay unsent and once with many.
    Backlog,
    /// The same, and what was flushed is pushed again, so that the ring buffer wraps all the time.
    BacklogOfARing,
    /// A failing flush with few unsent bytes, and the same flush with many.
    NoReader,
}

const FLUSHES: &[Flush] = &[
    Flush::NothingUnsent,
    Flush::RoomForAll { bytes: 1 },
    Flush::RoomForAll { bytes: 100_000 },
    Flush::RoomForAll { bytes: 1_000_000 },
    Flush::RoomForAllOfARing,
    Flush::RoomForAPage,
    Flush::NoRoom,
    Flush::RoomForHalf,
    Flush::Backlog,
    Flush::BacklogOfARing,
    Flush::NoReader,
];

/// The number of flushes that are measured together, because a single flush is too short.
const FLUSHES_MEASURED: usize = 8;
/// The factor by which the CPU time of the same flushes may grow with the number of unsent bytes.
/// If the unsent bytes are copied or moved each time, the time grows 30-fold and more.
const ALLOWED: f64 = 10.0;

trial!(
    cost_of_a_flush,
    1,
    "A flush makes no more system calls than it needs, and its CPU time doesn't grow with the number of bytes that stay unsent."
);
fn cost_of_a_flush(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let page = page_size()?;
    let observer = Observer::new()?;
    for flush in program.verbs(FLUSHES.iter().copied()) {
        let mut outbox = Outbox::new();
        let (what, room, budget) = match flush {
            Flush::NothingUnsent => ("flush nothing".to_owned(), 1, 0),
            Flush::RoomForAll { bytes } => {
                outbox.push(&vec![b'x'; bytes]);
                (format!("flush {}, with room for all", count(bytes, "byte")), 1 << 20, 2)
            }
            Flush::RoomForAllOfARing => {
                outbox = wrapped(page)?;
                ("push, flush, push and flush again, with room for all".to_owned(), 1 << 20, 2)
            }
            Flush::RoomForAPage => {
                outbox.push(&vec![b'x'; 3 * page]);
                ("flush 3 pages, with room for one".to_owned(), 1, 3)
            }
            Flush::NoRoom => {
                outbox.push(&vec![b'x'; 3 * page]);
                ("flush 3 pages, with no room".to_owned(), 1, 3)
            }
            Flush::RoomForHalf => {
                let (_reader, writer) = pipe_with_capacity(1 << 19)?;
                outbox.push(&vec![b'x'; 1_000_000]);
                let (flushed, memory) = Memory::of(|| outbox.flush(&writer));
                let flushed = outcome(&flushed);
                // To change the size of its memory, an outbox has to copy what's in it.
                let size = if memory.in_use == 0 { "as before" } else { "changed" };
                say!(
                    t,
                    "flush 1000000 bytes, with room for 524288: {flushed}; size of the outbox's memory: {size}"
                );
                continue;
            }
            Flush::Backlog => {
                let cost = backlog(page, false);
                say!(
                    t,
                    "{FLUSHES_MEASURED} flushes of a page each, while 256 pages are unsent: {cost}"
                );
                continue;
            }
            Flush::BacklogOfARing => {
                let cost = backlog(page, true);
                say!(
                    t,
                    "{FLUSHES_MEASURED} flushes of 1 page out of 256, each followed by a push: {cost}"
                );
                continue;
            }
            Flush::NoReader => {
                let cost = failures(page);
                say!(
                    t,
                    "{FLUSHES_MEASURED} flushes of 64 pages to a pipe without a reader: {cost}"
                );
                continue;
            }
        };
        let (_reader, writer) = pipe_with_capacity(room)?;
        if matches!(flush, Flush::NoRoom) {
            let _ = File::from(writer.try_clone()?).write(&vec![b'x'; page])?;
        }
        let (flushed, calls) = observer.calls_of(|| outbox.flush(&writer));
        let cost = within(calls, budget);
        say!(t, "{what}: {}; system calls: {cost}", outcome(&flushed));
    }
    Ok(())
}

/// Returns an outbox with 2 pages less 1,000 bytes, which begin in the middle of its memory.
fn wrapped(page: usize) -> anyhow::Result<Outbox> {
    let (_reader, writer) = pipe_with_capacity(1)?;
    let mut outbox = Outbox::new();
    outbox.push(&vec![b'x'; 2 * page]);
    outbox.flush(&writer)?;
    outbox.push(&vec![b'y'; page - 1000]);
    Ok(outbox)
}

/// Says whether the cost of a few flushes, with a page read after each flush, grows with the
/// number of unsent bytes, as it would if each flush copied those bytes.
fn backlog(page: usize, pushes: bool) -> String {
    let read_and_flush = |unsent: usize| {
        let (reader, writer) = pipe_with_capacity(1).ok()?;
        let (mut reader, mut buffer) = (File::from(reader), vec![0; page]);
        let mut outbox = Outbox::new();
        outbox.push(&vec![b'x'; unsent]);
        let rounds = || {
            for _ in 0..FLUSHES_MEASURED {
                let _ = outbox.flush(&writer);
                let _ = reader.read(&mut buffer);
                outbox.push(if pushes { &buffer } else { &[] });
            }
        };
        Some(cpu_time_of(rounds).ok()?.1)
    };
    let measured = |unsent| read_and_flush(unsent).unwrap_or(Duration::MAX);
    costs_more(growth((8 * page, 256 * page), measured), 8)
}

/// Says whether the cost of a few flushes that fail grows with the number of unsent bytes.
fn failures(page: usize) -> String {
    let fail = |unsent: usize| {
        let (_, writer) = pipe().ok()?;
        let mut outbox = Outbox::new();
        outbox.push(&vec![b'x'; unsent]);
        let flushes = || (0..FLUSHES_MEASURED).all(|_| outbox.flush(&writer).is_err());
        Some(cpu_time_of(flushes).ok()?.1)
    };
    let measured = |unsent| fail(unsent).unwrap_or(Duration::MAX);
    costs_more(growth((page, 64 * page), measured), 1)
}

fn costs_more(factor: f64, few_pages: usize) -> String {
    let few = count(few_pages, "page");
    let cost = within(factor.round(), ALLOWED);
    format!("CPU time, as a multiple of the time with {few}: {cost}")
}
