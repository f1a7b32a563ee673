//! A trial of handlers in two threads: wherever the second handler begins while the first handler
//! runs, `drop` waits for both.
//!
//! The first handler runs in a child process, one instruction at a time. At one instruction another
//! thread's handler begins and is held in its write while the first handler finishes.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::mpsc::{self, Sender};
use std::thread;

use anyhow::bail;
use kit::interruption::interrupt_me_at;
use kit::{Gate, StoppedAt, Tracee};
use scene::{Program, Transcript, say, trial};
use step05_selfpipe::{SIGUSR1, SIGUSR2, SelfPipe, Signals, raise};

use super::dropped::{this_thread, waits};
use super::handler::{handle_one_here, keeps_errno};
use super::points::{after_the_write, reach, up_to_the_write};

/// A thread in the child process. It reports its number, and later each time it's done.
struct Thread {
    number: u64,
    reports: PipeReader,
}

trial!(
    a_handler_in_another_thread,
    1,
    "If handlers run in two threads at once, a drop of the Signals waits for both of them."
);
fn a_handler_in_another_thread(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let points = program.verbs(up_to_the_write(20).chain(after_the_write(20)));
    handle_one_here()?;
    let (for_the_child, mut go) = io::pipe()?;
    let (mut interrupted, reports_of_interrupted) = io::pipe()?;
    let (mut dropper, reports_of_dropper) = io::pipe()?;
    let count = points.len();
    let reports = [reports_of_interrupted, reports_of_dropper];
    let mut tracee = Tracee::start(move || run_both(count, for_the_child, reports))?;
    let mut threads = None;
    if tracee.is_some() {
        let mut numbers = [[0; 8]; 2];
        interrupted.read_exact(&mut numbers[0])?;
        dropper.read_exact(&mut numbers[1])?;
        let [first, second] = numbers.map(u64::from_ne_bytes);
        threads = Some([
            Thread { number: first, reports: interrupted },
            Thread { number: second, reports: dropper },
        ]);
    }
    for point in points {
        let (mut it_waits, mut errno_is_kept) = (true, true);
        if let (Some(child), Some(threads)) = (&mut tracee, &mut threads) {
            if reach(child, point)? {
                (it_waits, errno_is_kept) = drop_waits(child, threads, &mut go)?;
            } else {
                tracee = None;
            }
        }
        say!(t, "SIGUSR1's handler stops {point}, and SIGUSR2's begins in another thread");
        let drop = if it_waits { "a drop waits" } else { "a drop doesn't wait" };
        say!(t, "  SIGUSR1's handler ends while SIGUSR2's writes: {drop} for SIGUSR2's");
        if !it_waits {
            break;
        }
        let errno = if errno_is_kept { "kept" } else { "changed" };
        say!(t, "  SIGUSR2's ends, too; errno of the thread that it interrupted: {errno}");
    }
    Ok(())
}

/// Continues from within a handler. Ends at the arrival of the handler's signal in the next round.
/// Returns true if the drop waits, and true if the other thread's `errno` is kept.
fn drop_waits(
    tracee: &mut Tracee,
    [interrupted, dropper]: &mut [Thread; 2],
    go: &mut PipeWriter,
) -> anyhow::Result<(bool, bool)> {
    go.write_all(&[0])?;
    if !waits(tracee.pid(), interrupted.number, libc::SYS_read, &interrupted.reports)? {
        bail!("the other thread's handler ends without a write");
    }
    match tracee.go_on(0)? {
        StoppedAt::Signal(libc::SIGSTOP) => {}
        other => bail!("the handler's process is stopped at {other:?}"),
    }
    go.write_all(&[0])?;
    if !waits(tracee.pid(), dropper.number, libc::SYS_clock_nanosleep, &dropper.reports)? {
        return Ok((false, true));
    }
    tracee.go_on(0)?;
    let mut is_kept = [0];
    interrupted.reports.read_exact(&mut is_kept)?;
    dropper.reports.read_exact(&mut [0])?;
    Ok((true, is_kept == [1]))
}

/// In the child: handles a signal in this thread and a signal in another thread; a third thread
/// drops the `Signals`. Continues to the second signal and to the drop when there's a byte to read.
fn run_both(rounds: usize, go: PipeReader, [of_interrupted, of_dropper]: [PipeWriter; 2]) {
    let (done, all_done) = mpsc::channel();
    let to_interrupted = start_interrupted(of_interrupted, done.clone());
    let to_dropper = start_dropper(go, to_interrupted, of_dropper, done);
    let run = || -> anyhow::Result<()> {
        for _ in 0..rounds {
            let pipe = SelfPipe::new()?;
            let mut signals = Signals::new(pipe.waker())?;
            signals.add(SIGUSR1)?;
            signals.add(SIGUSR2)?;
            let gate = Gate::for_the_next()?;
            to_dropper.send((pipe, signals))?;
            keeps_errno(libc::ENOENT, SIGUSR1)?;
            raise(libc::SIGSTOP)?;
            gate.open()?;
            all_done.recv()?;
            all_done.recv()?;
        }
        Ok(())
    };
    let _ = run();
}

/// Starts the thread whose handler is held in its write, which makes the pipe readable.
fn start_interrupted(mut reports: PipeWriter, done: Sender<()>) -> Sender<SelfPipe> {
    let (sender, pipes) = mpsc::channel();
    thread::spawn(move || -> anyhow::Result<()> {
        reports.write_all(&this_thread().to_ne_bytes())?;
        for pipe in pipes {
            interrupt_me_at(&pipe)?;
            let is_kept = keeps_errno(libc::EBADF, SIGUSR2)?;
            reports.write_all(&[u8::from(is_kept)])?;
            done.send(())?;
        }
        Ok(())
    });
    sender
}

fn start_dropper(
    mut go: PipeReader,
    to_interrupted: Sender<SelfPipe>,
    mut reports: PipeWriter,
    done: Sender<()>,
) -> Sender<(SelfPipe, Signals)> {
    let (sender, all) = mpsc::channel::<(SelfPipe, Signals)>();
    thread::spawn(move || -> anyhow::Result<()> {
        reports.write_all(&this_thread().to_ne_bytes())?;
        for (pipe, signals) in all {
            go.read_exact(&mut [0])?;
            // What has arrived is taken, or a handler might not write because of it.
            pipe.drain()?;
            signals.take().for_each(drop);
            to_interrupted.send(pipe)?;
            go.read_exact(&mut [0])?;
            drop(signals);
            reports.write_all(&[0])?;
            done.send(())?;
        }
        Ok(())
    });
    sender
}
