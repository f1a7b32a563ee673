//! A trial of the handler at its instructions: another thread drops the [`Signals`] there.
//!
//! The handler runs in a child process, one instruction at a time. Where processes can't be traced,
//! nothing is tried, and the lines are those of a right answer.

use std::fs;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::mpsc;
use std::thread;

use anyhow::bail;
use kit::{StoppedAt, Tracee};
use scene::{Program, Transcript, say, trial};
use step05_selfpipe::{SIGUSR1, SelfPipe, Signals, raise};

use super::handler::handle_one_here;
use super::instructions::is;
use super::pipes::readable;

/// Where the `Signals` are dropped, in instructions after the handler's first.
const MOST_INSTRUCTIONS: usize = 160;
/// From one atomic to the next, the handler takes more instructions than that.
const APART: usize = 8;

trial!(
    a_drop_at_each_instruction,
    1,
    "Wherever in the handler the Signals are dropped, it doesn't use their descriptor afterwards."
);
fn a_drop_at_each_instruction(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let places = program.verbs((0..MOST_INSTRUCTIONS).step_by(APART));
    handle_one_here()?;
    let (for_the_child, mut go) = io::pipe()?;
    let (mut results, for_results) = io::pipe()?;
    let count = places.len();
    let mut tracee = Tracee::start(move || drop_in_a_thread(count, for_the_child, for_results))?;
    let mut thread = [0; 8];
    if tracee.is_some() {
        results.read_exact(&mut thread)?;
    }
    let thread = u64::from_ne_bytes(thread);
    for place in places {
        let late = match &mut tracee {
            Some(tracee) => late_writes(tracee, place, thread, &mut go, &mut results)?,
            None => 0,
        };
        say!(t, "Signals dropped after {place} instructions of the handler, late writes: {late}");
    }
    Ok(())
}

/// In the child: raises a signal in this thread, and drops the `Signals` in another one, when
/// there's a byte to read.
fn drop_in_a_thread(rounds: usize, mut go: PipeReader, mut results: PipeWriter) {
    let (to_the_thread, all_signals) = mpsc::channel::<Signals>();
    let (dropped, all_dropped) = mpsc::channel();
    thread::spawn(move || -> io::Result<()> {
        // SAFETY: gettid takes nothing and touches no memory of ours.
        let thread = u64::from(unsafe { libc::gettid() }.unsigned_abs());
        results.write_all(&thread.to_ne_bytes())?;
        for signals in all_signals {
            go.read_exact(&mut [0])?;
            drop(signals);
            results.write_all(&[0])?;
            let _ = dropped.send(());
        }
        Ok(())
    });
    let run = || -> anyhow::Result<()> {
        for _ in 0..rounds {
            let pipe = SelfPipe::new()?;
            let mut signals = Signals::new(pipe.waker())?;
            signals.add(SIGUSR1)?;
            to_the_thread.send(signals)?;
            raise(SIGUSR1)?;
            raise(libc::SIGSTOP)?;
            all_dropped.recv()?;
        }
        Ok(())
    };
    let _ = run();
}

/// Counts the handler's writes to a descriptor after the `Signals` were dropped. Begins and ends at
/// the arrival of its signal.
fn late_writes(
    tracee: &mut Tracee,
    place: usize,
    thread: u64,
    go: &mut PipeWriter,
    results: &mut PipeReader,
) -> anyhow::Result<usize> {
    tracee.step(SIGUSR1)?;
    for _ in 0..place {
        tracee.step(0)?;
    }
    let is_inside = tracee.blocks(SIGUSR1)?;
    go.write_all(&[0])?;
    let is_dropped = returns(tracee.pid(), thread, results)?;
    let mut late = 0;
    loop {
        match tracee.to_the_next_call()? {
            // A descriptor is never negative, and −1 stands for none.
            StoppedAt::Call(number, fd) if is(number, libc::SYS_write) => {
                let is_open = fd & 0x8000_0000 == 0;
                late += usize::from(is_inside && is_dropped && is_open);
            }
            StoppedAt::Signal(libc::SIGSTOP) => break,
            StoppedAt::Signal(signal) => bail!("signal {signal} ends the handler"),
            StoppedAt::End => bail!("the process ends in the handler"),
            _ => {}
        }
    }
    results.read_exact(&mut [0])?;
    tracee.go_on(0)?;
    Ok(late)
}

/// Waits until `drop` has returned in the other thread, or sleeps there. Returns true if it has
/// returned.
fn returns(process: i32, thread: u64, results: &PipeReader) -> anyhow::Result<bool> {
    loop {
        if readable(results)? == "readable" {
            return Ok(true);
        }
        let call = fs::read_to_string(format!("/proc/{process}/task/{thread}/syscall"))?;
        let number = call.split_whitespace().next().and_then(|word| word.parse::<u64>().ok());
        if number.is_some_and(|number| is(number, libc::SYS_clock_nanosleep)) {
            return Ok(false);
        }
        thread::yield_now();
    }
}
