//! A trial of the handler at its instructions, at which another thread drops the [`Signals`]. In
//! some cases another signal's handler has interrupted the first handler just before the drop. In
//! others the process makes new `Signals` for another loop at once.
//!
//! The handler runs in a child process, one instruction at a time.

use std::fmt;
use std::fs;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
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

/// The thread's actions while the handler is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thread {
    Drops,
    /// Drops the `Signals` and makes others, with a pipe that has other descriptors.
    Replaces,
}

trial!(
    a_drop_at_each_instruction,
    2,
    "Wherever the handler is when the Signals are dropped, it doesn't use their descriptor afterwards."
);
fn a_drop_at_each_instruction(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let thread = if program.number() == 0 { Thread::Drops } else { Thread::Replaces };
    run(program, t, up_to_the_write(12), Second::NotThere, thread)
}

trial!(
    a_drop_with_two_handlers,
    2,
    "If a signal interrupts another signal's handler, neither handler uses the descriptor after a drop."
);
fn a_drop_with_two_handlers(program: &Program, t: Transcript) -> anyhow::Result<()> {
    if program.number() == 0 {
        run(program, t, up_to_the_write(20), Second::AtItsEnd, Thread::Drops)
    } else {
        run(program, t, up_to_the_write(32), Second::AtItsWrite, Thread::Drops)
    }
}

/// Drops the `Signals` at each point. Their loop's descriptor stays open, so that its number means
/// no other.
fn run(
    program: &Program,
    t: Transcript,
    points: impl Iterator<Item = HandlerPoint>,
    second: Second,
    thread: Thread,
) -> anyhow::Result<()> {
    let points = program.verbs(points);
    handle_one_here()?;
    let (for_the_child, mut go) = io::pipe()?;
    let (mut results, for_results) = io::pipe()?;
    let count = points.len();
    let mut tracee =
        Tracee::start(move || drop_in_a_thread(count, thread, for_the_child, for_results))?;
    let mut number = [0; 8];
    if tracee.is_some() {
        results.read_exact(&mut number)?;
    }
    let number = u64::from_ne_bytes(number);
    for point in points {
        let mut late = 0;
        if let Some(child) = &mut tracee {
            if reach(child, point)? {
                let fd = interrupt(child, second)?;
                go.write_all(&[0])?;
                let mut old = [0; 4];
                if waits(child.pid(), number, libc::SYS_clock_nanosleep, &results)? {
                    writes_to_the_end(child, fd, None)?;
                    results.read_exact(&mut old)?;
                } else {
                    results.read_exact(&mut old)?;
                    let old = (thread == Thread::Replaces).then_some(u32::from_ne_bytes(old));
                    late = writes_to_the_end(child, fd, old)?;
                }
                child.go_on(0)?;
            } else {
                tracee = None;
            }
        }
        let what = match thread {
            Thread::Drops => "dropped",
            Thread::Replaces => "replaced by those of another loop",
        };
        say!(
            t,
            "SIGUSR1's handler stops {point},{second} and the Signals are {what}; late writes: {late}"
        );
    }
    Ok(())
}

/// In the child: raises a signal in this thread and drops the `Signals` in another thread when
/// there's a byte to read. The other thread then reports the number of their descriptor.
fn drop_in_a_thread(rounds: usize, action: Thread, mut go: PipeReader, mut results: PipeWriter) {
    let (to_the_thread, all_signals) = mpsc::channel::<(i32, Signals)>();
    let (dropped, all_dropped) = mpsc::channel();
    thread::spawn(move || -> io::Result<()> {
        results.write_all(&this_thread().to_ne_bytes())?;
        for (fd, signals) in all_signals {
            go.read_exact(&mut [0])?;
            drop(signals);
            let others = match action {
                Thread::Drops => None,
                Thread::Replaces => {
                    let pipe = SelfPipe::new()?;
                    Some((Signals::new(pipe.waker())?, pipe))
                }
            };
            results.write_all(&fd.to_ne_bytes())?;
            let _ = dropped.send(others);
        }
        Ok(())
    });
    let run = || -> anyhow::Result<()> {
        for _ in 0..rounds {
            let pipe = SelfPipe::new()?;
            let mut signals = Signals::new(pipe.waker())?;
            signals.add(SIGUSR1)?;
            signals.add(SIGUSR2)?;
            to_the_thread.send((pipe.waker().as_fd().as_raw_fd(), signals))?;
            raise(SIGUSR1)?;
            raise(libc::SIGSTOP)?;
            // The other loop's, if there are any, are dropped here, when no handler runs.
            drop(all_dropped.recv()?);
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

/// Counts the writes to a descriptor, or to the one with the number `old`, up to the child's
/// SIGSTOP, including a write that the child is about to make.
fn writes_to_the_end(
    tracee: &mut Tracee,
    next: Option<u64>,
    old: Option<u32>,
) -> anyhow::Result<usize> {
    let counts = |fd: u64| {
        let lower_half = fd & 0xffff_ffff;
        // A descriptor is never negative and −1 stands for none.
        usize::from(old.map_or(fd & 0x8000_0000 == 0, |old| lower_half == u64::from(old)))
    };
    let mut writes = next.map_or(0, counts);
    loop {
        match tracee.to_the_next_call()? {
            StoppedAt::Call(number, fd) if is(number, libc::SYS_write) => writes += counts(fd),
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
