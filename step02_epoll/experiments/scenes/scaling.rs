//! One wait for many descriptors.

use std::os::fd::OwnedFd;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, write};
use step02_epoll::{Epoll, Event, Events, Interest, Poll, Trigger};

use super::cpu_time::{cpu_time, used_since};
use kit::Sleeper;

scene!(
    one_wait_for_all,
    "One thread waits for 100 empty pipes, and bytes arrive in one of them. What does the wait return?"
);
/// `5 bytes arrive in pipe 42: the wait returns the tokens [42]`: the thread sleeps in a single
/// `epoll_wait`, and the kernel watches all hundred pipes. When bytes arrive in one of them, the
/// kernel puts the pipe's registration on a list of ready registrations and wakes the thread. The
/// token is the number that the program gave with the registration, so the program needn't ask the
/// other 99 pipes.
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
    let state = if sleeper.is_finished() { "has returned" } else { "sleeps" };
    say!(t, "one thread waits for 100 pipes");
    say!(t, "  all are empty:             the thread {}", state);
    write(&pipes[42].1, b"hello")?;
    say!(t, "  5 bytes arrive in pipe 42: the wait returns the tokens {}", sleeper.join()?);
    Ok(())
}

scene!(
    more_ready_than_room,
    "Five pipes are ready, and each wait has room for two events. Which pipes does each of five waits report?"
);
/// The pipes are called a to e. Nothing is read in between, so all five stay readable.
fn more_ready_than_room(t: Transcript) -> anyhow::Result<()> {
    let names = ["a", "b", "c", "d", "e"];
    let pipes = names.iter().map(|_| pipe()).collect::<Result<Vec<_>, _>>()?;
    say!(t, "five pipes are ready; each wait has room for two events");
    for trigger in [Trigger::Level, Trigger::Edge] {
        let epoll = Epoll::new()?;
        for (token, (reader, _)) in (0..).zip(&pipes) {
            epoll.add(reader, token, Interest::READABLE, trigger)?;
        }
        for (_, writer) in &pipes {
            write(writer, b"x")?;
        }
        let mut events = Events::with_capacity(2);
        let mut reported = Vec::new();
        for _ in 0..5 {
            epoll.wait(&mut events, Some(Duration::ZERO))?;
            let tokens = events.iter().map(Event::token);
            let found = tokens.filter_map(|token| names.get(usize::try_from(token).ok()?));
            let found = found.copied().collect::<Vec<_>>().join(" ");
            reported.push(if found.is_empty() { "none".to_string() } else { found });
        }
        let trigger = format!("{trigger:?}:");
        say!(t, "  {trigger:<6} {}", reported.join(" | "));
    }
    Ok(())
}

scene!(
    idle_descriptors,
    "The number of idle descriptors grows from 8 to 800. Which wait gets more expensive: poll's, epoll's, or both?"
);
/// `poll:  more than 5 times as much`: poll(2) gets the whole list of descriptors in every call,
/// and the kernel checks each entry. epoll's list stays in the kernel. When a descriptor may be
/// ready, the kernel puts its registration on a second list, and a wait checks only that list:
/// `epoll: at most 5 times as much`, since the 800 idle descriptors aren't on it.
fn idle_descriptors(t: Transcript) -> anyhow::Result<()> {
    let (few, many) = (cost_among(8)?, cost_among(800)?);
    let compare = |few: Duration, many: Duration| {
        if many > 5 * few { "more than 5 times as much" } else { "at most 5 times as much" }
    };
    say!(t, "CPU time of a wait for 1 ready descriptor: 800 idle descriptors against 8");
    say!(t, "  poll:  {}", compare(few.poll, many.poll));
    say!(t, "  epoll: {}", compare(few.epoll, many.epoll));
    Ok(())
}

struct Cost {
    poll: Duration,
    epoll: Duration,
}

/// Measures a wait that finds one ready descriptor among `idle` others.
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
        poll: median(|| Ok(poll.wait(&mut events, None)?))?,
        epoll: median(|| Ok(epoll.wait(&mut events, None)?))?,
    })
}

/// Returns the median of the CPU times of 51 rounds, each of ten waits. The shortest wouldn't do:
/// on a virtual machine, the clock of CPU time stood still during one round in a million.
fn median(mut wait: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<Duration> {
    let mut rounds = Vec::new();
    for _ in 0..51 {
        let before = cpu_time(libc::CLOCK_THREAD_CPUTIME_ID)?;
        for _ in 0..10 {
            wait()?;
        }
        rounds.push(used_since(before, libc::CLOCK_THREAD_CPUTIME_ID)?);
    }
    rounds.sort_unstable();
    Ok(rounds[25])
}
