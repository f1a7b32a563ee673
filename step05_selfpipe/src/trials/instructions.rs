//! Trials of the handler at each of its instructions: another signal interrupts it there, or
//! another thread drops the [`Signals`].
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

use super::pipes::readable;

/// Real-time signals, which the handler is interrupted by.
const OTHERS: std::ops::RangeInclusive<i32> = 34..=64;
/// We try every fourth instruction: no step of the handler takes fewer.
const APART: usize = 4;
const ROUNDS: usize = 4;
/// Where the `Signals` are dropped, in instructions after the handler's first.
const MOST_INSTRUCTIONS: usize = 160;

/// What signals that interrupt the handler find out.
#[derive(Debug, Default)]
struct Found {
    lost: Vec<i32>,
    without_a_byte: usize,
    other_calls: usize,
}

trial!(
    a_signal_at_each_instruction,
    1,
    "Wherever a signal interrupts the handler of another one, both are taken, and both write a byte."
);
fn a_signal_at_each_instruction(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let rounds = program.verbs(0..ROUNDS);
    let (mut results, for_results) = io::pipe()?;
    let count = rounds.len();
    let child = move || take_what_arrives(count, for_results);
    let mut tracee = Tracee::start(child)?;
    for round in rounds {
        let found = match &mut tracee {
            Some(tracee) => interrupt_one_handler(tracee, 1 + round * APART, &mut results)?,
            None => Found::default(),
        };
        let Found { lost, without_a_byte, other_calls } = found;
        say!(t, "signals interrupt the handler, from instruction {} on", 1 + round * APART);
        say!(t, "  lost: {lost:?}, without a byte: {without_a_byte}");
        say!(t, "  system calls other than one write: {other_calls}");
        if other_calls > 0 {
            // It may wait for a lock of the handler that it interrupts.
            break;
        }
    }
    Ok(())
}

/// In the child: takes the signals of each round, and reports them as a set of bits.
fn take_what_arrives(rounds: usize, mut results: PipeWriter) {
    let mut run = || -> io::Result<()> {
        let pipe = SelfPipe::new()?;
        let mut signals = Signals::new(pipe.waker())?;
        signals.add(SIGUSR1)?;
        OTHERS.clone().try_for_each(|signal| signals.add(signal))?;
        for _ in 0..rounds {
            raise(SIGUSR1)?;
            pipe.drain()?;
            let taken = signals.take().fold(0, |set, signal| set | bit(signal));
            results.write_all(&taken.to_ne_bytes())?;
            raise(libc::SIGSTOP)?;
        }
        Ok(())
    };
    let _ = run();
}

fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// Steps through a handler, and interrupts it again and again. Begins and ends at the arrival of
/// its signal.
fn interrupt_one_handler(
    tracee: &mut Tracee,
    first: usize,
    results: &mut PipeReader,
) -> anyhow::Result<Found> {
    let (mut found, mut sent) = (Found::default(), bit(SIGUSR1));
    let mut others = OTHERS;
    tracee.step(SIGUSR1)?;
    // A signal can only be delivered between two instructions that we step over.
    for instruction in 1.. {
        if tracee.step(0)? != StoppedAt::Instruction {
            break;
        }
        if instruction % (APART * ROUNDS) == first {
            // Behind the handler, its signal is no longer blocked.
            let Some(other) = others.next().filter(|_| tracee.blocks(SIGUSR1).unwrap_or(false))
            else {
                break;
            };
            let (writes, other_calls) = interrupt(tracee, other)?;
            sent |= bit(other);
            found.without_a_byte += usize::from(writes == 0);
            found.other_calls += other_calls + writes.saturating_sub(1);
            if other_calls > 0 {
                return Ok(found);
            }
        }
    }
    to_the_marker(tracee)?;
    let mut taken = [0; 8];
    results.read_exact(&mut taken)?;
    let lost = sent & !u64::from_ne_bytes(taken);
    found.lost = (1..=64).filter(|signal| lost & bit(*signal) != 0).collect();
    tracee.go_on(0)?;
    Ok(found)
}

/// Lets another signal interrupt the handler. Returns the number of its handler's writes, and of
/// its other calls; if there are any, it's still in the first one.
fn interrupt(tracee: &mut Tracee, signal: i32) -> anyhow::Result<(usize, usize)> {
    let mut writes = 0;
    tracee.step(signal)?;
    loop {
        match tracee.to_the_next_call()? {
            StoppedAt::Call(number, _) if is(number, libc::SYS_rt_sigreturn) => break,
            StoppedAt::Call(number, _) if is(number, libc::SYS_write) => writes += 1,
            StoppedAt::Call(..) => return Ok((writes, 1)),
            StoppedAt::Return | StoppedAt::Instruction => {}
            StoppedAt::Signal(signal) => bail!("signal {signal} ends the handler"),
            StoppedAt::End => bail!("the process ends in the handler"),
        }
    }
    tracee.to_the_next_call()?;
    Ok((writes, 0))
}

fn is(number: u64, call: libc::c_long) -> bool {
    i64::try_from(number).is_ok_and(|number| number == call)
}

/// Runs to the SIGSTOP that the child sends itself at the end of a round.
fn to_the_marker(tracee: &mut Tracee) -> anyhow::Result<()> {
    match tracee.go_on(0)? {
        StoppedAt::Signal(libc::SIGSTOP) => Ok(()),
        other => bail!("the handler's process is stopped at {other:?}"),
    }
}

trial!(
    a_drop_at_each_instruction,
    1,
    "Wherever in the handler the Signals are dropped, it doesn't use their descriptor afterwards."
);
fn a_drop_at_each_instruction(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let places = program.verbs((0..MOST_INSTRUCTIONS).step_by(2 * APART));
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
