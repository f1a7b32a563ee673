//! A trial of the handler at its instructions, at which another thread drops the [`Signals`]. In
//! some cases another signal's handler has interrupted the first handler just before the drop.
//!
//! The handler runs in a child process, one instruction at a time.

use std::fmt;
use std::fs;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::mpsc;
use std::thread;

use anyhow::bail;
use kit::{StoppedAt, Tracee};
use scene::{Program, Transcript, say, trial};
use step05_selfpipe::{SIGUSR1, SIGUSR2, SelfPipe, Signals, raise};

use super::handler::handle_one_here;
use super::pipes::readable;
use super::points::{HandlerPoint, is, reach, up_to_the_write};

/// The progress of a second signal's handler, inside the first, when the `Signals` are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Second {
    NotThere,
    AtItsEnd,
    AtItsWrite,
}

impl fmt::Display for Second {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Second::NotThere => "",
            Second::AtItsEnd => " SIGUSR2's runs to its end,",
            Second::AtItsWrite => " SIGUSR2's runs up to its write,",
        })
    }
}

trial!(
    a_drop_at_each_instruction,
    1,
    "Wherever the handler is when the Signals are dropped, it doesn't use their descriptor afterwards."
);
fn a_drop_at_each_instruction(program: &Program, t: Transcript) -> anyhow::Result<()> {
    run(program, t, up_to_the_write(12), Second::NotThere)
}

trial!(
    a_drop_with_two_handlers,
    2,
    "If a signal interrupts another signal's handler, neither handler uses the descriptor after a drop."
);
fn a_drop_with_two_handlers(program: &Program, t: Transcript) -> anyhow::Result<()> {
    if program.number() == 0 {
        run(program, t, up_to_the_write(20), Second::AtItsEnd)
    } else {
        run(program, t, up_to_the_write(32), Second::AtItsWrite)
    }
}

/// Drops the `Signals` at each point.
fn run(
    program: &Program,
    t: Transcript,
    points: impl Iterator<Item = HandlerPoint>,
    second: Second,
) -> anyhow::Result<()> {
    let points = program.verbs(points);
    handle_one_here()?;
    let (for_the_child, mut go) = io::pipe()?;
    let (mut results, for_results) = io::pipe()?;
    let count = points.len();
    let mut tracee = Tracee::start(move || drop_in_a_thread(count, for_the_child, for_results))?;
    let mut thread = [0; 8];
    if tracee.is_some() {
        results.read_exact(&mut thread)?;
    }
    let thread = u64::from_ne_bytes(thread);
    for point in points {
        let mut late = 0;
        if let Some(child) = &mut tracee {
            if reach(child, point)? {
                let fd = interrupt(child, second)?;
                go.write_all(&[0])?;
                let is_dropped = !waits(child.pid(), thread, libc::SYS_clock_nanosleep, &results)?;
                late = writes_to_the_end(child, fd)? * usize::from(is_dropped);
                results.read_exact(&mut [0])?;
                child.go_on(0)?;
            } else {
                tracee = None;
            }
        }
        say!(
            t,
            "SIGUSR1's handler stops {point},{second} and the Signals are dropped; late writes: {late}"
        );
    }
    Ok(())
}

/// In the child: raises a signal in this thread and drops the `Signals` in another thread when
/// there's a byte to read.
fn drop_in_a_thread(rounds: usize, mut go: PipeReader, mut results: PipeWriter) {
    let (to_the_thread, all_signals) = mpsc::channel::<Signals>();
    let (dropped, all_dropped) = mpsc::channel();
    thread::spawn(move || -> io::Result<()> {
        results.write_all(&this_thread().to_ne_bytes())?;
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
            signals.add(SIGUSR2)?;
            to_the_thread.send(signals)?;
            raise(SIGUSR1)?;
            raise(libc::SIGSTOP)?;
            all_dropped.recv()?;
        }
        Ok(())
    };
    let _ = run();
}

pub(super) fn this_thread() -> u64 {
    // SAFETY: gettid takes nothing and touches no memory of ours.
    u64::from(unsafe { libc::gettid() }.unsigned_abs())
}

/// Lets a second handler interrupt the first handler and run as far as `second` says. If that's up
/// to its write, returns the descriptor that it's about to write to.
fn interrupt(tracee: &mut Tracee, second: Second) -> anyhow::Result<Option<u64>> {
    if second == Second::NotThere {
        return Ok(None);
    }
    tracee.interrupt(SIGUSR2)?;
    loop {
        match tracee.to_the_next_call()? {
            StoppedAt::Call(number, _) if is(number, libc::SYS_rt_sigreturn) => return Ok(None),
            StoppedAt::Call(number, fd) if is(number, libc::SYS_write) => {
                if second == Second::AtItsWrite {
                    return Ok(Some(fd));
                }
            }
            StoppedAt::Call(..) | StoppedAt::Return | StoppedAt::Instruction => {}
            StoppedAt::Signal(signal) => bail!("signal {signal} ends the handler"),
            StoppedAt::End => bail!("the process ends in the handler"),
        }
    }
}

/// Counts the writes to a descriptor up to the child's SIGSTOP, including a write that the child is
/// about to make.
fn writes_to_the_end(tracee: &mut Tracee, next: Option<u64>) -> anyhow::Result<usize> {
    // A descriptor is never negative and −1 stands for none.
    let is_open = |fd: u64| usize::from(fd & 0x8000_0000 == 0);
    let mut writes = next.map_or(0, is_open);
    loop {
        match tracee.to_the_next_call()? {
            StoppedAt::Call(number, fd) if is(number, libc::SYS_write) => writes += is_open(fd),
            StoppedAt::Call(..) | StoppedAt::Return | StoppedAt::Instruction => {}
            StoppedAt::Signal(libc::SIGSTOP) => return Ok(writes),
            StoppedAt::Signal(signal) => bail!("signal {signal} ends the handler"),
            StoppedAt::End => bail!("the process ends in the handler"),
        }
    }
}

/// Waits until a thread of the child sleeps in a system call or reports that it's done. Returns
/// true if the thread sleeps.
pub(super) fn waits(
    process: i32,
    thread: u64,
    call: libc::c_long,
    results: &PipeReader,
) -> anyhow::Result<bool> {
    loop {
        if readable(results)? == "readable" {
            return Ok(false);
        }
        let now = fs::read_to_string(format!("/proc/{process}/task/{thread}/syscall"))?;
        let number = now.split_whitespace().next().and_then(|word| word.parse::<u64>().ok());
        if number.is_some_and(|number| is(number, call)) {
            return Ok(true);
        }
        thread::yield_now();
    }
}
