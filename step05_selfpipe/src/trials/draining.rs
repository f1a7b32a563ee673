//! Trials of draining: everything, at once, and with its errors.

use std::thread;

use kit::cost::{Calls, sleeps_in, within};
use scene::{Program, Random, Transcript, say, trial};
use step01_fd::write;
use step05_selfpipe::SelfPipe;

use super::pipes::{fill, outcome, readable, without_reads};

/// Something that happens to the pair.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Write(usize),
    Fill,
    Drain,
}

impl Verb {
    fn random(random: &mut Random) -> Verb {
        match random.below(6) {
            0..3 => Verb::Write(random.choose(&[
                1, 2, 3, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 4095, 4096, 4097, 8192,
                10_000,
            ])),
            3 => Verb::Fill,
            _ => Verb::Drain,
        }
    }
}

trial!(nothing_is_left, 60, "A drain reads every byte, says how many there were, and never waits.");
fn nothing_is_left(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..8).map(|_| Verb::random(&mut random)).chain([Verb::Drain]));
    let pipe = SelfPipe::new()?;
    let waker = pipe.waker();
    let (mut inside, mut was_full) = (0, false);
    for verb in verbs {
        match verb {
            // What follows has no room for certain.
            Verb::Write(_) | Verb::Fill if was_full || inside > 30_000 => {}
            Verb::Write(count) => {
                write(&waker, &[7; 10_000][..count])?;
                inside += count;
                say!(t, "{count} bytes are written");
            }
            Verb::Fill => {
                inside += fill(&waker)?;
                was_full = true;
                say!(t, "bytes are written until there's no room");
            }
            Verb::Drain => {
                let drained = pipe.drain();
                let said = match (was_full, drained) {
                    (true, Ok(count)) if count == inside => "as many as were written".to_owned(),
                    (true, Ok(_)) => "another number than were written".to_owned(),
                    (_, drained) => outcome(drained),
                };
                say!(t, "drain: {said}; the pair is {}", readable(&pipe)?);
                (inside, was_full) = (0, false);
            }
        }
    }
    Ok(())
}

trial!(
    a_drain_is_cheap,
    1,
    "A drain of up to 1,000 bytes reads ten times at most, and never sleeps."
);
fn a_drain_is_cheap(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for bytes in program.verbs([0, 1, 2, 100, 1000]) {
        let pipe = SelfPipe::new()?;
        write(pipe.waker(), &[1; 1000][..bytes])?;
        let (drained, calls) = Calls::of(|| pipe.drain())?;
        let reads = within(calls.reads, 10);
        write(pipe.waker(), &[1; 1000][..bytes])?;
        let (again, sleeps) = sleeps_in(|| pipe.drain())?;
        let (drained, again) = (outcome(drained), outcome(again));
        say!(t, "drain {bytes} bytes: {drained}, reads: {reads}");
        say!(t, "drain {bytes} bytes again: {again}, sleeps: {}", within(sleeps, 0));
    }
    for bytes in program.verbs([1000]) {
        let pipe = SelfPipe::new()?;
        write(pipe.waker(), &[1; 1000][..bytes])?;
        let pipe = std::sync::Arc::new(pipe);
        let shared = std::sync::Arc::clone(&pipe);
        let drained = thread::spawn(move || outcome(shared.drain())).join();
        say!(t, "drain {bytes} bytes in another thread: {}", drained.unwrap_or_default());
    }
    Ok(())
}

trial!(a_failing_read, 1, "If the pair can't be read, drain hands the error up.");
fn a_failing_read(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for (errno, bytes) in program.verbs([(libc::EIO, 0), (libc::EIO, 5), (libc::ENOMEM, 5)]) {
        let pipe = SelfPipe::new()?;
        write(pipe.waker(), &[1; 5][..bytes])?;
        let drained = without_reads(errno, || pipe.drain())?;
        say!(t, "{bytes} bytes, the read is refused, drain: {}", outcome(drained));
        say!(t, "  and afterwards: {}", outcome(pipe.drain()));
    }
    Ok(())
}
