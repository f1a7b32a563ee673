//! Trials of the wait: what it finds, how long it sleeps, what ends it and what it costs.

use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use kit::cost::within;
use kit::memory::Memory;
use kit::{Refusal, Sleeper, count_signals};
use scene::{Program, Random, Transcript, say, trial};
use step01_fd::{pipe, read, set_nonblocking, write};
use step02_epoll::{Epoll, Event, Events, Interest, Trigger};

use super::outcome;

const NOW: Option<Duration> = Some(Duration::ZERO);

/// Something to do with an epoll and four pipes, whose numbers are their tokens.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Add(usize, Trigger),
    Delete(usize),
    Write(usize),
    Empty(usize),
    Wait { capacity: usize },
}

impl Verb {
    fn random(random: &mut Random) -> Verb {
        let pipe = random.below(4);
        match random.below(8) {
            0..2 => {
                Verb::Add(pipe, random.choose(&[Trigger::Level, Trigger::Edge, Trigger::OneShot]))
            }
            2 => Verb::Delete(pipe),
            3..5 => Verb::Write(pipe),
            5 => Verb::Empty(pipe),
            _ => Verb::Wait { capacity: random.choose(&[2, 4]) },
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Add(pipe, trigger) => write!(f, "add pipe {pipe}, {trigger:?}"),
            Verb::Delete(pipe) => write!(f, "delete pipe {pipe}"),
            Verb::Write(pipe) => write!(f, "a byte arrives in pipe {pipe}"),
            Verb::Empty(pipe) => write!(f, "read pipe {pipe} until it's empty"),
            Verb::Wait { capacity } => write!(f, "wait, with room for {capacity}"),
        }
    }
}

trial!(
    ready_descriptors_in_any_order,
    60,
    "Each wait fills Events with the descriptors that are ready now, up to their room."
);
fn ready_descriptors_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..24).map(|_| Verb::random(&mut random)));
    let epoll = Epoll::new()?;
    let pipes = [pipe()?, pipe()?, pipe()?, pipe()?];
    for (reader, writer) in &pipes {
        set_nonblocking(reader, true)?;
        set_nonblocking(writer, true)?;
    }
    let mut rooms = [2, 4].map(Events::with_capacity);
    for verb in verbs {
        let did = match verb {
            Verb::Add(pipe, trigger) => {
                let token = pipe as u64;
                outcome(epoll.add(&pipes[pipe].0, token, Interest::READABLE, trigger))
            }
            Verb::Delete(pipe) => outcome(epoll.delete(&pipes[pipe].0)),
            Verb::Write(pipe) => write(&pipes[pipe].1, b"x").map(|_| "done".to_owned())?,
            Verb::Empty(pipe) => read(&pipes[pipe].0, &mut [0; 64]).map(|_| "done".to_owned())?,
            Verb::Wait { capacity } => {
                let events = &mut rooms[usize::from(capacity == 4)];
                epoll.wait(events, NOW)?;
                found(events, capacity)
            }
        };
        say!(t, "{verb}: {did}");
    }
    Ok(())
}

/// Describes the events. If they fill the room there can be more, and which of them come first is
/// up to the kernel.
fn found(events: &Events, capacity: usize) -> String {
    let mut tokens: Vec<u64> = events.iter().map(Event::token).collect();
    tokens.sort_unstable();
    match tokens.len() {
        0 => "no events".to_owned(),
        count if count >= capacity => format!("{count} events"),
        _ => format!("events of {tokens:?}"),
    }
}

trial!(
    sleeps_for_the_whole_timeout,
    1,
    "A wait asks the kernel once, for the whole timeout, and a byte ends the sleep."
);
/// Looks at the timeout that the thread is asleep with, and wakes the thread by a byte.
fn sleeps_for_the_whole_timeout(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let almost_25_days = Duration::from_millis(i32::MAX as u64);
    let timeouts = [
        Some(Duration::from_mins(1)),
        Some(Duration::from_mins(1) + Duration::from_nanos(1)),
        Some(Duration::from_micros(3_599_999_999)),
        Some(Duration::from_hours(100)),
        Some(Duration::from_millis(i32::MAX as u64 - 1)),
        Some(almost_25_days),
        Some(Duration::MAX),
        None,
    ];
    for timeout in program.verbs(timeouts) {
        let (reader, writer) = pipe()?;
        let epoll = Epoll::new()?;
        epoll.add(&reader, 7, Interest::READABLE, Trigger::Level)?;
        let mut events = Events::with_capacity(4);
        let sleeper = Sleeper::start(move || {
            let ended = outcome(epoll.wait(&mut events, timeout));
            format!("{ended}, {}", found(&events, 4))
        })?;
        sleeper.wait_until_asleep()?;
        let slept = if sleeper.is_finished() {
            "doesn't sleep".to_owned()
        } else {
            match sleeper.timeout()? {
                None => "sleeps until something happens".to_owned(),
                Some(time) if time >= almost_25_days => "sleeps for 24.8 days".to_owned(),
                Some(time) => format!("sleeps for {time:?}"),
            }
        };
        write(&writer, b"x")?;
        say!(t, "wait, timeout {timeout:?}: {slept}; a byte arrives: {}", sleeper.join()?);
    }
    Ok(())
}

/// Something that happens to a wait after one that has found an event.
#[derive(Debug, Clone, Copy)]
enum Ending {
    Timeout(Duration),
    Signal(Option<Duration>),
    Error(i32),
}

trial!(
    events_do_not_outlive_their_wait,
    1,
    "A timeout or a signal ends a wait without events, and any other error is the caller's."
);
/// Each wait gets the `Events` of one that has found something.
fn events_do_not_outlive_their_wait(program: &Program, t: Transcript) -> anyhow::Result<()> {
    count_signals()?;
    let hour = Duration::from_hours(1);
    let short = [0, 1, 1_000, 200_000, 1_000_000, 1_000_001];
    let short = short.map(|nanos| Ending::Timeout(Duration::from_nanos(nanos)));
    let signals = [Ending::Signal(None), Ending::Signal(Some(hour))];
    let errors = [libc::EINTR, libc::EBADF, libc::EINVAL, libc::EFAULT, libc::ENOMEM];
    let errors = errors.into_iter().chain([libc::EAGAIN, libc::EPERM, libc::EIO]);
    let endings = short.into_iter().chain(signals).chain(errors.map(Ending::Error));
    for ending in program.verbs(endings) {
        let (reader, writer) = pipe()?;
        let epoll = Epoll::new()?;
        epoll.add(&reader, 7, Interest::READABLE, Trigger::Level)?;
        write(&writer, b"x")?;
        let mut events = Events::with_capacity(4);
        epoll.wait(&mut events, NOW)?;
        epoll.delete(&reader)?;
        let line = match ending {
            Ending::Timeout(timeout) => {
                let started = Instant::now();
                let ended = outcome(epoll.wait(&mut events, Some(timeout)));
                let is_early = started.elapsed() < timeout;
                let early = if is_early { "ends early, " } else { "" };
                format!("wait, timeout {timeout:?}: {early}{ended}, {}", found(&events, 4))
            }
            Ending::Signal(timeout) => {
                let wait = move || {
                    let ended = outcome(epoll.wait(&mut events, timeout));
                    format!("{ended}, {}", found(&events, 4))
                };
                format!("wait, timeout {timeout:?}; a signal arrives: {}", interrupted(wait)?)
            }
            Ending::Error(errno) => {
                let refusals = refusals(errno, false);
                let ended = Refusal::all_during(&refusals, || epoll.wait(&mut events, NOW))?;
                let errno = io::Error::from_raw_os_error(errno);
                let events = if ended.is_ok() { found(&events, 4) } else { String::new() };
                format!("wait, the kernel says \"{errno}\": {} {events}", outcome(ended))
            }
        };
        say!(t, "a wait finds an event; {}", line.trim_end());
    }
    Ok(())
}

/// Runs `wait` in a thread, which gets a signal once it's asleep.
fn interrupted(wait: impl FnOnce() -> String + Send + 'static) -> anyhow::Result<String> {
    let sleeper = Sleeper::start(wait)?;
    sleeper.wait_until_asleep()?;
    if !sleeper.is_finished() {
        sleeper.interrupt()?;
    }
    sleeper.join()
}

/// Returns the refusals of all system calls that wait on an epoll, or only of those with a timeout
/// of zero.
fn refusals(errno: i32, only_looks: bool) -> Vec<Refusal> {
    let timeout = only_looks.then_some((3, 0));
    let mut calls = vec![(libc::SYS_epoll_pwait, timeout)];
    #[cfg(target_arch = "x86_64")]
    calls.push((libc::SYS_epoll_wait, timeout));
    if !only_looks {
        // Its timeout is behind a pointer, and no pointer at all means no timeout.
        calls.push((libc::SYS_epoll_pwait2, None));
    }
    calls.into_iter().map(|(call, argument)| Refusal { call, argument, errno }).collect()
}

trial!(
    waits_cost_one_call,
    1,
    "A wait is one system call, which doesn't look first, and allocates no memory."
);
fn waits_cost_one_call(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for capacity in program.verbs([1, 64, 4096]) {
        let (reader, writer) = pipe()?;
        let epoll = Epoll::new()?;
        epoll.add(&reader, 7, Interest::READABLE, Trigger::Level)?;
        let mut events = Events::with_capacity(capacity);
        let milli = Some(Duration::from_millis(1));
        let looks = refusals(libc::EIO, true);
        let idle = Refusal::all_during(&looks, || epoll.wait(&mut events, milli))?;
        say!(t, "wait for 1ms, every look without a sleep fails: {}", outcome(idle));
        write(&writer, b"x")?;
        let ready = Refusal::all_during(&looks, || epoll.wait(&mut events, None))?;
        say!(t, "the same with a byte and no timeout: {}", outcome(ready));
        let (ended, memory) = Memory::of(|| epoll.wait(&mut events, None));
        ended?;
        let cost = within(memory.allocations, 0);
        say!(t, "wait with room for {capacity}: allocations {cost}");
    }
    Ok(())
}
