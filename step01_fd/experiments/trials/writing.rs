//! Trials of `write`: random programs on a pipe.

use std::fs::File;
use std::io::Read;

use scene::{Program, Random, Transcript, say, trial};
use step01_fd::{Written, pipe_with_capacity, write};

use super::answer::{count, outcome};
use super::pattern::pattern;

/// An operation on a pipe that has room for 256 KiB.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Write { bytes: usize },
    Read { room: usize },
    CloseReader,
}

const ROOM: usize = 1 << 18;

impl Verb {
    fn random(random: &mut Random) -> Verb {
        let bytes = random.boundary(&[5, 1024, 4096, 8192, 65_536, 131_072, ROOM as u64]);
        let bytes = usize::try_from(bytes).unwrap_or(2 * ROOM).min(2 * ROOM);
        match random.below(9) {
            0..6 => Verb::Write { bytes },
            8 if random.once_in(3) => Verb::CloseReader,
            _ => Verb::Read { room: bytes },
        }
    }
}

trial!(
    as_much_as_fits,
    60,
    "A write returns how many bytes the pipe took, and exactly those bytes arrive."
);
fn as_much_as_fits(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..20).map(|_| Verb::random(&mut random)));
    let (reader, writer) = pipe_with_capacity(1 << 18)?;
    let mut reader = Some(File::from(reader));
    let (mut written, mut taken) = (0, 0);
    for verb in verbs {
        match verb {
            Verb::Write { bytes } => {
                let answer = write(&writer, pattern(written, bytes));
                say!(t, "write {}: {}", count(bytes, "byte"), outcome(&answer));
                if let Ok(Written::Bytes(took)) = answer {
                    written += took;
                }
            }
            Verb::Read { room } => {
                let Some(mut reader) = reader.as_ref() else { continue };
                let mut buffer = vec![0; room];
                let took = reader.read(&mut buffer).unwrap_or_default();
                let is_next = &buffer[..took] == pattern(taken, took);
                let order = if is_next { "in order" } else { "which aren't the next bytes" };
                say!(t, "the reader gets {}, {order}", count(took, "byte"));
                taken += took;
            }
            Verb::CloseReader => {
                reader = None;
                say!(t, "the reading end is closed");
            }
        }
    }
    Ok(())
}
