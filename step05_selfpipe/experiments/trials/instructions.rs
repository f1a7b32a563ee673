//! A trial of the handler at many of its instructions, at which another signal interrupts it.
//!
//! Just before or after that, the loop takes the signals that have arrived, if its pipe is
//! readable. The handler of a third signal plays the loop, so that the loop runs at the very same
//! instruction.
//!
//! The handler runs in a child process, one instruction at a time.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, OnceLock};

use anyhow::bail;
use kit::{StoppedAt, Tracee};
use scene::{Program, Transcript, say, trial};
use step05_selfpipe::{SIGHUP, SIGUSR1, SIGUSR2, SelfPipe, Signals, raise};

use super::handler::handle_one_here;
use super::pipes::readable;
use super::points::{after_the_write, is, reach, up_to_the_write};
use crate::scenes::signals::names;

/// The trial's findings when a signal interrupts the handler.
#[derive(Debug, Default)]
struct Found {
    lost: Vec<i32>,
    /// The signals that are flagged at the end although no byte will wake the loop for them.
    left_asleep: Vec<i32>,
    other_calls: usize,
}

/// The order in which the two interrupt the handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    LoopFirst,
    /// The loop is second. Another signal and its byte arrived before the handler began.
    LoopSecond,
}

/// The signal that makes the loop check whether its pipe is readable.
const LOOP: i32 = libc::SIGALRM;
/// The child's loop, for the handler of `LOOP`.
static THE_LOOP: OnceLock<(SelfPipe, Mutex<Signals>)> = OnceLock::new();
/// The signals that the loop has taken, as a set of bits.
static TAKEN: AtomicU64 = AtomicU64::new(0);

trial!(
    a_signal_at_each_instruction,
    2,
    "Wherever a signal interrupts another signal's handler, the loop is woken and takes both signals."
);
fn a_signal_at_each_instruction(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let order = if program.number() == 0 { Order::LoopFirst } else { Order::LoopSecond };
    let points = program.verbs(up_to_the_write(12).chain(after_the_write(20)));
    handle_one_here()?;
    let (mut results, for_results) = io::pipe()?;
    let count = points.len();
    let child = move || take_what_arrives(count, order, for_results);
    let mut tracee = Tracee::start(child)?;
    for point in points {
        let mut found = Found::default();
        if let Some(child) = &mut tracee {
            if order == Order::LoopSecond {
                child.go_on(SIGHUP)?;
            }
            if reach(child, point)? {
                found = interrupt_one_handler(child, order, &mut results)?;
            } else {
                tracee = None;
            }
        }
        let Found { lost, left_asleep, other_calls } = found;
        let then = match order {
            Order::LoopFirst => "the loop takes a turn, and SIGUSR2 arrives",
            Order::LoopSecond => "SIGUSR2 arrives, and the loop takes a turn",
        };
        if order == Order::LoopSecond {
            say!(t, "SIGHUP and its byte are there when SIGUSR1 arrives");
        }
        say!(t, "SIGUSR1's handler stops {point}, {then}; lost: {}", listed(lost));
        say!(t, "  flagged, but the loop sleeps: {}", listed(left_asleep));
        say!(t, "  system calls of SIGUSR2's handler other than one write: {other_calls}");
        if other_calls > 0 {
            // It may wait for a lock of the handler that it interrupts.
            break;
        }
    }
    Ok(())
}

/// In the child: takes the signals of each round and reports two sets of bits: the signals for
/// which the loop was woken, and the signals that are left.
fn take_what_arrives(rounds: usize, order: Order, mut results: PipeWriter) {
    let mut run = || -> io::Result<()> {
        let pipe = SelfPipe::new()?;
        let mut signals = Signals::new(pipe.waker())?;
        signals.add(SIGUSR1)?;
        signals.add(SIGUSR2)?;
        signals.add(SIGHUP)?;
        let (pipe, signals) = THE_LOOP.get_or_init(|| (pipe, Mutex::new(signals)));
        let turn = turn_of_the_loop as extern "C" fn(libc::c_int) as usize;
        // SAFETY: the handler only runs where the trial sends its signal.
        unsafe { libc::signal(LOOP, turn) };
        for _ in 0..rounds {
            TAKEN.store(0, SeqCst);
            if order == Order::LoopSecond {
                raise(SIGHUP)?;
            }
            raise(SIGUSR1)?;
            turn_of_the_loop(LOOP);
            pipe.drain()?;
            let left = signals.lock().map(|signals| set(signals.take())).unwrap_or_default();
            results.write_all(&TAKEN.load(SeqCst).to_ne_bytes())?;
            results.write_all(&left.to_ne_bytes())?;
            raise(libc::SIGSTOP)?;
        }
        Ok(())
    };
    let _ = run();
}

/// The loop's reaction to a wake-up.
extern "C" fn turn_of_the_loop(_: libc::c_int) {
    let Some((pipe, signals)) = THE_LOOP.get() else { return };
    if readable(pipe).is_ok_and(|it| it == "readable")
        && pipe.drain().is_ok()
        && let Ok(signals) = signals.lock()
    {
        TAKEN.fetch_or(set(signals.take()), SeqCst);
    }
}

fn set(signals: impl Iterator<Item = i32>) -> u64 {
    signals.fold(0, |set, signal| set | bit(signal))
}

fn listed(signals: Vec<i32>) -> String {
    names(signals.into_iter())
}

fn members(set: u64) -> Vec<i32> {
    (1..=64).filter(|signal| set & bit(*signal) != 0).collect()
}

fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// Continues from within a handler. Ends at the arrival of the handler's signal in the next round,
/// if all is well.
fn interrupt_one_handler(
    tracee: &mut Tracee,
    order: Order,
    results: &mut PipeReader,
) -> anyhow::Result<Found> {
    if order == Order::LoopFirst {
        interrupt(tracee, LOOP)?;
    }
    let (writes, other_calls) = interrupt(tracee, SIGUSR2)?;
    let mut found =
        Found { other_calls: other_calls + writes.saturating_sub(1), ..Found::default() };
    if found.other_calls > 0 {
        return Ok(found);
    }
    if order == Order::LoopSecond {
        interrupt(tracee, LOOP)?;
    }
    to_the_marker(tracee)?;
    let (mut taken, mut left) = ([0; 8], [0; 8]);
    results.read_exact(&mut taken)?;
    results.read_exact(&mut left)?;
    let (taken, left) = (u64::from_ne_bytes(taken), u64::from_ne_bytes(left));
    found.lost = members((bit(SIGUSR1) | bit(SIGUSR2)) & !taken & !left);
    found.left_asleep = members(left & !taken);
    tracee.go_on(0)?;
    Ok(found)
}

/// Lets another signal interrupt the handler. Returns the number of writes and of other calls that
/// the other signal's handler makes; if that handler makes another call, it stops at the first such
/// call.
fn interrupt(tracee: &mut Tracee, signal: i32) -> anyhow::Result<(usize, usize)> {
    let mut writes = 0;
    tracee.interrupt(signal)?;
    loop {
        match tracee.to_the_next_call()? {
            StoppedAt::Call(number, _) if is(number, libc::SYS_rt_sigreturn) => break,
            StoppedAt::Call(number, _) if is(number, libc::SYS_write) => writes += 1,
            // The loop reads; the handler has nothing to do but write.
            StoppedAt::Call(..) if signal != LOOP => return Ok((writes, 1)),
            StoppedAt::Call(..) | StoppedAt::Return | StoppedAt::Instruction => {}
            StoppedAt::Signal(signal) => bail!("signal {signal} ends the handler"),
            StoppedAt::End => bail!("the process ends in the handler"),
        }
    }
    tracee.to_the_next_call()?;
    Ok((writes, 0))
}

/// Runs the child up to the SIGSTOP that it sends itself at the end of a round.
fn to_the_marker(tracee: &mut Tracee) -> anyhow::Result<()> {
    match tracee.go_on(0)? {
        StoppedAt::Signal(libc::SIGSTOP) => Ok(()),
        other => bail!("the handler's process is stopped at {other:?}"),
    }
}
