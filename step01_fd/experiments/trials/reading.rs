//! Trials of `read`: random programs on a pipe.

use std::fs::File;
use std::io::Write;

use scene::{Program, Random, Transcript, say, trial};
use step01_fd::{Read, pipe_with_capacity, read};

use super::answer::{count, outcome};
use super::pattern::pattern;

/// An operation on a pipe that has room for 256 KiB.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Write { bytes: usize },
    Read { room: usize },
    CloseWriter,
}

const ROOM: usize = 1 << 18;

impl Verb {
    fn random(random: &mut Random) -> Verb {
        let bytes = random.boundary(&[5, 1024, 4096, 8192, 65_536, 131_072]);
        let bytes = usize::try_from(bytes).unwrap_or(ROOM).min(ROOM);
        match random.below(9) {
            0..4 => Verb::Write { bytes },
            8 if random.once_in(3) => Verb::CloseWriter,
            _ => Verb::Read { room: bytes },
        }
    }
}

trial!(
    bytes_in_order,
    60,
    "A read takes the bytes that have arrived, in order and as many as the buffer holds, and no others."
);
fn bytes_in_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..20).map(|_| Verb::random(&mut random)));
    let (reader, writer) = pipe_with_capacity(1 << 18)?;
    let mut writer = Some(File::from(writer));
    let (mut written, mut taken) = (0, 0);
    for verb in verbs {
        match verb {
            Verb::Write { bytes } => {
                let Some(mut writer) = writer.as_ref() else { continue };
                let took = writer.write(pattern(written, bytes)).unwrap_or_default();
                written += took;
                say!(t, "write {}: {took} of them fit into the pipe", count(bytes, "byte"));
            }
            Verb::CloseWriter => {
                writer = None;
                say!(t, "the writing end is closed");
            }
            Verb::Read { room } => {
                let mut buffer = vec![UNTOUCHED; room];
                let answer = read(&reader, &mut buffer);
                let took = if let Ok(Read::Bytes(count)) = answer { count } else { 0 };
                let (room, contents) = (count(room, "byte"), contents(&buffer, took, taken));
                say!(t, "read into a buffer of {room}: {}, {contents}", outcome(&answer));
                taken += took;
            }
        }
    }
    Ok(())
}

/// The byte that fills the buffer before a read. It isn't in the pattern.
const UNTOUCHED: u8 = 255;

/// Says whether the buffer contains the next bytes of the pattern, followed by the bytes it
/// contained before the read.
fn contents(buffer: &[u8], count: usize, taken: usize) -> &'static str {
    let Some((read, rest)) = buffer.split_at_checked(count) else {
        return "which is more than the buffer holds";
    };
    match (read == pattern(taken, count), rest == vec![UNTOUCHED; rest.len()]) {
        (false, _) => "which aren't the next bytes",
        (true, false) => "and the rest of the buffer is overwritten",
        (true, true) => "and the rest of the buffer is unchanged",
    }
}
