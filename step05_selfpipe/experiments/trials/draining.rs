//! Trials of `drain`: whether it reads all bytes, how much it costs, and how it fails.

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use kit::cost::{Calls, sleeps_in, within};
use kit::{Ending, Turns, without_free_descriptors};
use scene::{Program, Random, Transcript, say, trial};
use step01_fd::{check, write};
use step05_selfpipe::SelfPipe;

use super::pipes::{fill, outcome, readable, without_reads};

/// An event that affects the pair.
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
                    (true, Ok(_)) => "not as many as were written".to_owned(),
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
    "A drain of up to 1,000 bytes makes ten reads at most, never sleeps and opens no descriptor."
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
        let pipe = Arc::new(pipe);
        let shared = Arc::clone(&pipe);
        let drained = thread::spawn(move || outcome(shared.drain())).join();
        say!(t, "drain {bytes} bytes in another thread: {}", drained.unwrap_or_default());
    }
    for bytes in program.verbs([5]) {
        let pipe = SelfPipe::new()?;
        write(pipe.waker(), &[1; 5][..bytes])?;
        let drained = without_free_descriptors(|| pipe.drain())?;
        say!(t, "drain {bytes} bytes without a free descriptor: {}", outcome(drained));
    }
    Ok(())
}

trial!(a_failing_read, 1, "If the pair can't be read, drain passes the error on.");
fn a_failing_read(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for (errno, bytes) in program.verbs([(libc::EIO, 0), (libc::EIO, 5), (libc::ENOMEM, 5)]) {
        let pipe = SelfPipe::new()?;
        write(pipe.waker(), &[1; 5][..bytes])?;
        let drained = without_reads(errno, || pipe.drain())?;
        say!(
            t,
            "{bytes} bytes are in the pair, and its read is refused; drain: {}",
            outcome(drained)
        );
        say!(t, "  when reads work again, drain: {}", outcome(pipe.drain()));
    }
    Ok(())
}

/// The numbers of the drain's calls before which an unreadable object replaces the pair's end, each
/// in a drain of its own. Number 0 would be before the drain.
const FROM_CALL: [usize; 4] = [1, 2, 3, 4];

trial!(
    a_later_read_fails,
    1,
    "If a read of a full pair fails, drain passes the error on, even after other reads have succeeded."
);
fn a_later_read_fails(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut thread = Turns::new(1)?;
    for from in program.verbs(FROM_CALL) {
        let pipe = Arc::new(SelfPipe::new()?);
        fill(pipe.waker())?;
        let drained = Arc::new(Mutex::new(None));
        let part = {
            let (pipe, drained) = (Arc::clone(&pipe), Arc::clone(&drained));
            move || {
                let result = pipe.drain();
                *drained.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            }
        };
        let mut call = 0;
        let mut replaced = Ok(());
        let (ending, calls) = thread.run(vec![Box::new(part)], |_| {
            if call == from {
                replaced = make_unreadable(&pipe);
            }
            call += 1;
            0
        })?;
        replaced?;
        if ending != Ending::Done {
            say!(
                t,
                "the pair is full, and from the drain's call {from} on, reads fail: the drain never returns"
            );
            break;
        }
        let was_read = calls.iter().skip(from).any(|(_, name)| name.starts_with("re"));
        let lost = match drained.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(Ok(count)) if was_read => format!("lost, and drain returns Ok({count})"),
            None => "lost, and drain panics".to_owned(),
            // An answer that reads more at once may make fewer reads.
            _ => "not lost".to_owned(),
        };
        say!(
            t,
            "the pair is full, and from the drain's call {from} on, reads fail: the error is {lost}"
        );
    }
    Ok(())
}

/// Puts a directory in the place of the pair's end, so that reads fail.
fn make_unreadable(pipe: &SelfPipe) -> std::io::Result<()> {
    let directory = File::open("/")?;
    let (from, to) = (directory.as_raw_fd(), pipe.as_fd().as_raw_fd());
    // SAFETY: the pair's descriptor stays open and keeps its owner; it only means something else.
    let replaced = unsafe { libc::dup3(from, to, libc::O_CLOEXEC) };
    check(replaced, || format!("dup3 fd {from} to fd {to}"))?;
    Ok(())
}
