//! Many descriptors at once.

use std::os::fd::OwnedFd;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::Context;
use scene::{Transcript, say, scene};
use step01_fd::{check, pipe, write};
use step02_epoll::{Epoll, Event, Events, Interest, Poll, Trigger};

use kit::Sleeper;

scene!(
    one_wait_for_all,
    "A hundred pipes are silent. How many waits does it take to hear the one that speaks?"
);
/// One thread sleeps once, for all of them, and wakes with the one that has news.
fn one_wait_for_all(t: Transcript) -> anyhow::Result<()> {
    let pipes = (0..100).map(|_| pipe()).collect::<Result<Vec<_>, _>>()?;
    let epoll = Epoll::new()?;
    for (token, (reader, _)) in (0..).zip(&pipes) {
        epoll.add(reader, token, Interest::READABLE, Trigger::Level)?;
    }
    let sleeper = Sleeper::start(move || {
        let mut events = Events::with_capacity(100);
        match epoll.wait(&mut events, None) {
            Ok(()) => format!("{:?}", events.iter().map(Event::token).collect::<Vec<_>>()),
            Err(error) => error.to_string(),
        }
    })?;
    sleeper.wait_until_asleep()?;
    say!(t, "100 pipes are silent, the thread sleeps: {}", !sleeper.is_finished());
    write(&pipes[42].1, b"hello")?;
    say!(t, "hello comes to pipe 42, the wait brings: {}", sleeper.join()?);
    Ok(())
}

scene!(more_ready_than_room, "Five are ready, and there is room for two. Who is told?");
/// Whoever was told goes to the end of the queue, so nobody starves. Edge-triggered ones leave it.
fn more_ready_than_room(t: Transcript) -> anyhow::Result<()> {
    let names = ["a", "b", "c", "d", "e"];
    let pipes = names.iter().map(|_| pipe()).collect::<Result<Vec<_>, _>>()?;
    for trigger in [Trigger::Level, Trigger::Edge] {
        let epoll = Epoll::new()?;
        for (token, (reader, _)) in (0..).zip(&pipes) {
            epoll.add(reader, token, Interest::READABLE, trigger)?;
        }
        for (_, writer) in &pipes {
            write(writer, b"x")?;
        }
        let mut events = Events::with_capacity(2);
        let mut told = Vec::new();
        for _ in 0..5 {
            epoll.wait(&mut events, Some(Duration::ZERO))?;
            let now =
                events.iter().filter_map(|event| names.get(usize::try_from(event.token()).ok()?));
            let now = now.copied().collect::<Vec<_>>().join(" ");
            told.push(if now.is_empty() { "nobody".to_string() } else { now });
        }
        say!(t, "five ready, room for two, {trigger:?}: {}", told.join(" | "));
    }
    Ok(())
}

scene!(idle_costs_nothing, "One is ready. What do those cost that are not?");
/// Processor time, so that others on this machine do not count. poll is handed the whole list each
/// time, and it is walked from end to end.
fn idle_costs_nothing(t: Transcript) -> anyhow::Result<()> {
    let (few, many) = (cost_among(8)?, cost_among(800)?);
    say!(t, "one ready among 800 idle, or among 8: over five times the processor time?");
    say!(t, "  poll:  {}", many.poll > 5 * few.poll);
    say!(t, "  epoll: {}", many.epoll > 5 * few.epoll);
    Ok(())
}

struct Cost {
    poll: Duration,
    epoll: Duration,
}

/// What a wait costs that finds one ready descriptor among so many idle ones.
fn cost_among(idle: u64) -> anyhow::Result<Cost> {
    let (silent, _writer) = pipe()?;
    let (ready, writer) = pipe()?;
    write(&writer, b"x")?;
    let silent = (0..idle).map(|_| silent.try_clone()).collect::<Result<Vec<OwnedFd>, _>>()?;
    let (mut poll, epoll) = (Poll::new(), Epoll::new()?);
    for (token, fd) in (0..).zip(silent.iter().chain([&ready])) {
        poll.add(fd, token, Interest::READABLE)?;
        epoll.add(fd, token, Interest::READABLE, Trigger::Level)?;
    }
    let mut events = Events::with_capacity(8);
    Ok(Cost {
        poll: cheapest(|| Ok(poll.wait(&mut events, None)?))?,
        epoll: cheapest(|| Ok(epoll.wait(&mut events, None)?))?,
    })
}

/// The processor time of the cheapest of many rounds of ten.
fn cheapest(mut wait: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<Duration> {
    let mut cheapest = Duration::MAX;
    for _ in 0..50 {
        let before = processor_time(libc::CLOCK_THREAD_CPUTIME_ID)?;
        for _ in 0..10 {
            wait()?;
        }
        cheapest = cheapest.min(used_since(before, libc::CLOCK_THREAD_CPUTIME_ID)?);
    }
    Ok(cheapest)
}

scene!(sleeping_costs_no_cpu, "What does a thread cost that waits?");
/// A thread sleeps while another one works; and the other one shows what asking costs.
fn sleeping_costs_no_cpu(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let epoll = Epoll::new()?;
    epoll.add(&reader, 0, Interest::READABLE, Trigger::Level)?;
    let (tell, told) = mpsc::channel();
    let sleeper = Sleeper::start(move || {
        let _ = tell.send(own_clock());
        let mut events = Events::with_capacity(1);
        match epoll.wait(&mut events, None) {
            Ok(()) => format!("events: {}", events.len()),
            Err(error) => error.to_string(),
        }
    })?;
    let clock = told.recv().context("the sleeper told no clock")??;
    sleeper.wait_until_asleep()?;

    let before = processor_time(clock)?;
    let asked = ask_again_and_again()?;
    let used = used_since(before, clock)?;
    say!(t, "asleep in wait, for 20 ms and more: {}", !sleeper.is_finished());
    say!(t, "  under 1 ms of processor time: {}", used < Duration::from_millis(1));
    say!(t, "asking with a timeout of zero, for 10 ms of processor time");
    say!(t, "  more than 100 times: {}", asked > 100);
    write(&writer, b"x")?;
    say!(t, "a byte comes, and the sleeper wakes, {}", sleeper.join()?);
    Ok(())
}

/// Keeps the processor busy, for 20 ms by the clock on the wall and 10 ms by its own.
fn ask_again_and_again() -> anyhow::Result<u32> {
    let epoll = Epoll::new()?;
    let mut events = Events::with_capacity(1);
    let started = Instant::now();
    let before = processor_time(libc::CLOCK_THREAD_CPUTIME_ID)?;
    let mut asked = 0;
    while used_since(before, libc::CLOCK_THREAD_CPUTIME_ID)? < Duration::from_millis(10) {
        epoll.wait(&mut events, Some(Duration::ZERO))?;
        asked += 1;
    }
    while started.elapsed() < Duration::from_millis(20) {
        epoll.wait(&mut events, Some(Duration::ZERO))?;
    }
    Ok(asked)
}

/// The clock that counts the processor time of the thread that asks.
fn own_clock() -> anyhow::Result<libc::clockid_t> {
    let mut clock = 0;
    // SAFETY: pthread_self has no preconditions.
    let thread = unsafe { libc::pthread_self() };
    // SAFETY: the thread runs, and `clock` is a valid place for the answer.
    let failed = unsafe { libc::pthread_getcpuclockid(thread, &raw mut clock) };
    anyhow::ensure!(failed == 0, "pthread_getcpuclockid: error {failed}");
    Ok(clock)
}

fn processor_time(clock: libc::clockid_t) -> anyhow::Result<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the answer.
    let got = unsafe { libc::clock_gettime(clock, &raw mut time) };
    check(got, || "clock_gettime".to_string())?;
    Ok(Duration::new(u64::try_from(time.tv_sec)?, u32::try_from(time.tv_nsec)?))
}

fn used_since(before: Duration, clock: libc::clockid_t) -> anyhow::Result<Duration> {
    Ok(processor_time(clock)?.saturating_sub(before))
}
