//! Trials of `wake`: the bytes that it writes, and the resources that it doesn't need.

use std::fmt;

use kit::cost::{Calls, sleeps_in, within};
use kit::{ThreadBody, Turns, without_free_descriptors};
use scene::{Program, Random, Transcript, say, trial};
use step05_selfpipe::{LoopWaker, SelfPipe};

use super::pipes::{empty, fill, readable, without_writes};

/// An operation on one of two pairs.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Wake(usize),
    WakeFromAThread(usize),
    Read,
    Fill,
    Drop,
}

impl Verb {
    fn random(random: &mut Random) -> Verb {
        match random.below(9) {
            0..3 => Verb::Wake(random.choose(&[1, 1, 2, 50])),
            3..5 => Verb::WakeFromAThread(random.choose(&[1, 3])),
            5..7 => Verb::Read,
            7 => Verb::Fill,
            _ => Verb::Drop,
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Wake(1) => f.write_str("one wake"),
            Verb::Wake(count) => write!(f, "{count} wakes"),
            Verb::WakeFromAThread(count) => write!(f, "{count} wakes by another thread"),
            Verb::Read => f.write_str("the loop reads all bytes"),
            Verb::Fill => f.write_str("the pair is filled"),
            Verb::Drop => f.write_str("the loop's end is dropped"),
        }
    }
}

/// A pair, and the trial's record of it.
struct Pair {
    pipe: Option<SelfPipe>,
    waker: LoopWaker,
    /// True if the pair was full. Right answers differ in how many bytes a full pair holds.
    was_full: bool,
}

trial!(each_wake_is_a_byte, 60, "Each wake returns, and if there's room, it has written one byte.");
fn each_wake_is_a_byte(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..8).map(|_| (random.below(2), Verb::random(&mut random))));
    let pipes = [SelfPipe::new()?, SelfPipe::new()?];
    let mut pairs = pipes.map(|pipe| {
        let waker = pipe.waker();
        Pair { pipe: Some(pipe), waker, was_full: false }
    });
    for (index, verb) in verbs {
        let did = carry_out(verb, &mut pairs[index])?;
        let name = ["A", "B"][index];
        let state = match &pairs[index].pipe {
            Some(pipe) => readable(pipe)?,
            None => "dropped",
        };
        say!(t, "pair {name}, {verb}: {did}; the loop's end is {state}");
    }
    Ok(())
}

fn carry_out(verb: Verb, pair: &mut Pair) -> anyhow::Result<String> {
    let waker = pair.waker.clone();
    match verb {
        Verb::Wake(count) => (0..count).for_each(|_| waker.wake()),
        Verb::WakeFromAThread(count) => {
            let woken = std::thread::spawn(move || (0..count).for_each(|_| waker.wake())).join();
            anyhow::ensure!(woken.is_ok(), "a thread panicked in wake");
        }
        Verb::Read => {
            let Some(pipe) = &pair.pipe else { return Ok("nothing".to_owned()) };
            let bytes = empty(pipe)?;
            let was_full = std::mem::take(&mut pair.was_full);
            return Ok(if was_full { "many bytes".to_owned() } else { format!("{bytes} bytes") });
        }
        Verb::Fill => {
            if pair.pipe.is_some() {
                fill(&waker)?;
                pair.was_full = true;
            }
        }
        Verb::Drop => pair.pipe = None,
    }
    Ok("done".to_owned())
}

trial!(
    a_wake_needs_nothing,
    1,
    "A wake makes one system call, doesn't sleep, opens no descriptor and ignores any error."
);
fn a_wake_needs_nothing(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let situations = ["empty", "full", "dropped"];
    for what in program.verbs(situations) {
        let pipe = SelfPipe::new()?;
        let waker = pipe.waker();
        if what == "full" {
            fill(&waker)?;
        }
        let pipe = (what != "dropped").then_some(pipe);
        let ((), calls) = Calls::of(|| waker.wake())?;
        let ((), sleeps) = sleeps_in(|| waker.wake())?;
        let (writes, sleeps) = (within(calls.writes, 1), within(sleeps, 0));
        say!(t, "one wake when the pair is {what}; writes: {writes}; sleeps: {sleeps}");
        drop(pipe);
    }
    for errno in program.verbs([libc::EIO, libc::ENOBUFS, libc::EPERM, libc::ECONNRESET]) {
        let pipe = SelfPipe::new()?;
        let waker = pipe.waker();
        without_writes(&waker, errno, || waker.wake())?;
        say!(t, "one wake whose write fails with error {errno}: the wake has returned");
    }
    for () in program.verbs([()]) {
        let pipe = SelfPipe::new()?;
        let waker = pipe.waker();
        without_free_descriptors(|| waker.wake())?;
        say!(t, "one wake without a free descriptor: the pair is {}", readable(&pipe)?);
    }
    for () in program.verbs([()]) {
        let pipe = SelfPipe::new()?;
        let wakes = || -> ThreadBody {
            let waker = pipe.waker();
            Box::new(move || waker.wake())
        };
        let mut is_first = true;
        let (_, calls) = Turns::new(2)?.run(vec![wakes(), wakes()], |able| {
            // The first thread's first turn ends just before its write.
            if std::mem::take(&mut is_first) { able[0] } else { able[able.len() - 1] }
        })?;
        let waits = calls.iter().any(|(_, call)| call.contains("lock"));
        let waits = if waits { "waits for a lock" } else { "doesn't wait" };
        say!(t, "one wake while another thread is about to write its byte: it {waits}");
    }
    Ok(())
}
