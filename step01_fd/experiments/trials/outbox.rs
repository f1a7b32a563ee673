//! Trials of `flush`: random programs with a reader that now and then empties the pipe.

use std::fs::File;
use std::io::Read;

use scene::{Program, Random, Transcript, say, trial};
use step01_fd::{Outbox, pipe_with_capacity};

use super::answer::{count, outcome};
use super::pattern::pattern;
use crate::scenes::page_size;

/// An operation on an outbox and a pipe that holds one page.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Push {
        bytes: usize,
    },
    Flush,
    /// Read and flush in turns until nothing is left.
    Settle,
    /// Read what's in the pipe, once, and flush.
    Continue,
}

impl Verb {
    fn random(page: usize, random: &mut Random) -> Verb {
        let bytes = random.boundary(&[5, 1000, page as u64, 2 * page as u64]);
        let bytes = usize::try_from(bytes).unwrap_or_default() % (3 * page);
        match random.below(10) {
            0..5 => Verb::Push { bytes },
            5..7 => Verb::Flush,
            7..9 => Verb::Continue,
            _ => Verb::Settle,
        }
    }
}

trial!(
    outbox_in_turns,
    150,
    "Whatever is pushed, flushed and read, every byte arrives once and in order."
);
fn outbox_in_turns(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let page = page_size()?;
    let mut random = program.random();
    let mut verbs: Vec<Verb> = (0..25).map(|_| Verb::random(page, &mut random)).collect();
    verbs.push(Verb::Settle);
    let verbs = program.verbs(verbs);
    let (reader, writer) = pipe_with_capacity(1)?;
    let mut outbox = Outbox::new();
    let mut receiver = Receiver { pipe: File::from(reader), received: 0, is_in_order: true };
    let mut pushed = 0;
    // While at most a page has been pushed since the last time, all of it fits; after more, it
    // depends on how the bytes were offered how many of them are in the pipe.
    let mut is_settled = true;
    for verb in verbs {
        match verb {
            Verb::Push { bytes } => {
                outbox.push(pattern(pushed, bytes));
                pushed += bytes;
                say!(t, "push {}", count(bytes, "byte"));
            }
            Verb::Flush if is_settled => {
                is_settled = pushed - receiver.received <= page;
                let flushed = outcome(&outbox.flush(&writer));
                say!(t, "flush: {flushed}; {}", left(&outbox));
            }
            Verb::Flush => {}
            Verb::Continue => {
                receiver.read(page)?;
                outbox.flush(&writer)?;
                is_settled = false;
                let order = receiver.order();
                say!(t, "read all bytes in the pipe, then flush: {order}");
            }
            Verb::Settle => {
                let mut turns = 0;
                while !outbox.flush(&writer)? && turns < 1000 {
                    receiver.read(page)?;
                    turns += 1;
                }
                receiver.read(page)?;
                is_settled = true;
                let (order, left) = (receiver.order(), left(&outbox));
                let arrived = format!("{} of {}", receiver.received, count(pushed, "byte"));
                say!(t, "read and flush in turns: {left}, {order}; {arrived} are read");
            }
        }
    }
    Ok(())
}

fn left(outbox: &Outbox) -> &'static str {
    if outbox.is_empty() { "no bytes are left" } else { "bytes are left" }
}

/// The reader's side of the pipe.
struct Receiver {
    pipe: File,
    received: usize,
    is_in_order: bool,
}

impl Receiver {
    /// Reads what's in the pipe.
    fn read(&mut self, page: usize) -> anyhow::Result<()> {
        let mut buffer = vec![0; page];
        let took = match self.pipe.read(&mut buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => 0,
            took => took?,
        };
        self.is_in_order &= &buffer[..took] == pattern(self.received, took);
        self.received += took;
        Ok(())
    }

    fn order(&self) -> &'static str {
        if self.is_in_order { "all bytes in order" } else { "bytes out of order" }
    }
}
