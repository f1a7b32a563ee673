//! The CPU time of a wait: for a thread that sleeps, and for a thread that asks again and again.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::Context;
use scene::{Transcript, say, scene};
use step01_fd::{check, pipe, write};
use step02_epoll::{Epoll, Events, Interest, Trigger};

use super::returned;
use kit::Sleeper;

scene!(
    cpu_time_of_a_wait,
    "A thread spends 20 ms in epoll_wait. How much CPU time does the thread use?"
);
/// `CPU time: under 1 ms`, after at least 20 ms in the call: the kernel runs other threads until
/// the byte arrives, and only then wakes this one. With a timeout of zero, the same call doesn't
/// sleep. It checks and returns, so a second thread makes `more than 20` calls in 10 ms of CPU
/// time and learns nothing. That's a busy loop.
fn cpu_time_of_a_wait(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let epoll = Epoll::new()?;
    epoll.add(&reader, 0, Interest::READABLE, Trigger::Level)?;
    let (sender, receiver) = mpsc::channel();
    let sleeper = Sleeper::start(move || {
        let _ = sender.send(own_clock());
        let mut events = Events::with_capacity(1);
        match epoll.wait(&mut events, None) {
            Ok(()) => returned(events.len()),
            Err(error) => error.to_string(),
        }
    })?;
    let clock = receiver.recv().context("the sleeper sent no clock")??;
    sleeper.wait_until_asleep()?;

    let before = cpu_time(clock)?;
    let calls = ask_again_and_again()?;
    let used = used_since(before, clock)?;
    let state = if sleeper.is_finished() { "returned" } else { "asleep" };
    let used = if used < Duration::from_millis(1) { "under 1 ms" } else { "1 ms or more" };
    let calls = if calls > 20 { "more than 20" } else { "20 or fewer" };
    say!(t, "in epoll_wait, with no timeout, for at least 20 ms");
    say!(t, "  state:    {}", state);
    say!(t, "  CPU time: {}", used);
    say!(t, "in epoll_wait, with a timeout of zero, for 10 ms of CPU time");
    say!(t, "  calls:    {}", calls);
    write(&writer, b"x")?;
    say!(t, "a byte arrives: epoll_wait {}", sleeper.join()?);
    Ok(())
}

/// Keeps the CPU busy for at least 20 ms, and for at least 10 ms of CPU time. Returns the number of
/// calls in those 10 ms.
fn ask_again_and_again() -> anyhow::Result<u32> {
    let epoll = Epoll::new()?;
    let mut events = Events::with_capacity(1);
    let started = Instant::now();
    let before = cpu_time(libc::CLOCK_THREAD_CPUTIME_ID)?;
    let mut calls = 0;
    while used_since(before, libc::CLOCK_THREAD_CPUTIME_ID)? < Duration::from_millis(10) {
        epoll.wait(&mut events, Some(Duration::ZERO))?;
        calls += 1;
    }
    while started.elapsed() < Duration::from_millis(20) {
        epoll.wait(&mut events, Some(Duration::ZERO))?;
    }
    Ok(calls)
}

/// Returns the clock that counts the calling thread's CPU time, for other threads to read.
fn own_clock() -> anyhow::Result<libc::clockid_t> {
    let mut clock = 0;
    // SAFETY: pthread_self has no preconditions.
    let thread = unsafe { libc::pthread_self() };
    // SAFETY: the thread runs, and the kernel writes one clock id, into `clock`.
    let failed = unsafe { libc::pthread_getcpuclockid(thread, &raw mut clock) };
    anyhow::ensure!(failed == 0, "pthread_getcpuclockid: error {failed}");
    Ok(clock)
}

/// Reads a clock of CPU time.
pub(crate) fn cpu_time(clock: libc::clockid_t) -> anyhow::Result<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one timespec, into `time`.
    let got = unsafe { libc::clock_gettime(clock, &raw mut time) };
    check(got, || "clock_gettime".to_string())?;
    Ok(Duration::new(u64::try_from(time.tv_sec)?, u32::try_from(time.tv_nsec)?))
}

pub(crate) fn used_since(before: Duration, clock: libc::clockid_t) -> anyhow::Result<Duration> {
    Ok(cpu_time(clock)?.saturating_sub(before))
}
