//! Trials of the wait: how long it sleeps, what ends it, and how much it costs.

use std::time::{Duration, Instant};

use kit::cost::{sleeps_in, within};
use kit::memory::Memory;
use kit::{Observer, Refusal, Sleeper, count_signals, errnos};
use scene::{Program, Transcript, say, trial};
use step01_fd::{pipe, read, write};
use step02_epoll::{Epoll, Events, Interest, Trigger};

use super::waits::{NOW, found};
use super::{in_words, outcome};

trial!(
    sleeps_for_the_whole_timeout,
    1,
    "A wait calls the kernel once, with the whole timeout, and a byte wakes the sleeping thread."
);
/// Reads the timeout of the wait in which the thread sleeps, then wakes the thread with a byte.
fn sleeps_for_the_whole_timeout(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let almost_25_days = Duration::from_millis(i32::MAX as u64);
    let timeouts = [
        Some(Duration::from_mins(1)),
        Some(Duration::from_mins(1) + Duration::from_nanos(1)),
        Some(Duration::from_micros(3_599_999_999)),
        Some(Duration::from_hours(100)),
        Some(Duration::from_millis(i32::MAX as u64 - 1)),
        Some(almost_25_days),
        Some(Duration::from_secs(18_446_744_074)),
        Some(Duration::from_secs(4_294_968)),
        Some(Duration::from_millis(1 << 32)),
        Some(Duration::from_secs(1 << 55)),
        Some(Duration::from_secs(1 << 63)),
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
        say!(t, "wait with a timeout of {timeout:?}: {slept}; a byte arrives: {}", sleeper.join()?);
    }
    Ok(())
}

/// An event that affects a wait after another wait has found an event.
#[derive(Debug, Clone, Copy)]
enum Ending {
    Timeout(Duration),
    Signal(Option<Duration>),
    Error(i32, Option<Duration>),
}

fn endings() -> impl Iterator<Item = Ending> {
    let hour = Duration::from_hours(1);
    let short = [0, 1, 1_000, 200_000, 1_000_000, 1_000_001];
    let short = short.map(|nanos| Ending::Timeout(Duration::from_nanos(nanos)));
    let signals = [Ending::Signal(None), Ending::Signal(Some(hour))];
    let timeouts = [NOW, Some(hour), None];
    let errors = errnos().zip(timeouts.into_iter().cycle());
    let errors = errors.map(|(errno, timeout)| Ending::Error(errno, timeout));
    short.into_iter().chain(signals).chain(errors)
}

trial!(
    events_do_not_outlive_their_wait,
    1,
    "A timeout or a signal ends a wait without events, and every error but EINTR is returned."
);
/// Each wait gets the `Events` of an earlier wait that has found an event.
fn events_do_not_outlive_their_wait(program: &Program, t: Transcript) -> anyhow::Result<()> {
    count_signals()?;
    let observer = Observer::new()?;
    for ending in program.verbs(endings()) {
        let (reader, writer) = pipe()?;
        let epoll = Epoll::new()?;
        epoll.add(&reader, 7, Interest::READABLE, Trigger::Level)?;
        write(&writer, b"x")?;
        let mut events = Events::with_capacity(4);
        epoll.wait(&mut events, NOW)?;
        // What tries again after an error finds the event once more, instead of sleeping.
        if !matches!(ending, Ending::Error(..)) {
            epoll.delete(&reader)?;
        }
        let line = match ending {
            Ending::Timeout(timeout) => {
                let started = Instant::now();
                let ended = outcome(epoll.wait(&mut events, Some(timeout)));
                let is_early = started.elapsed() < timeout;
                let early = if is_early { "ends early, " } else { "" };
                format!("wait with a timeout of {timeout:?}: {early}{ended}, {}", found(&events, 4))
            }
            Ending::Signal(timeout) => {
                let wait = move || {
                    let ended = outcome(epoll.wait(&mut events, timeout));
                    format!("{ended}, {}", found(&events, 4))
                };
                format!(
                    "wait with a timeout of {timeout:?}; a signal arrives: {}",
                    interrupted(wait)?
                )
            }
            Ending::Error(errno, timeout) => {
                let refusals = refusals(errno, false);
                let wait = || epoll.wait(&mut events, timeout);
                let (ended, calls) = observer.refusing(&refusals, 0, wait);
                let events = if ended.is_ok() {
                    found(&events, 4)
                } else {
                    "its events don't matter".to_owned()
                };
                let (ended, says, calls) = (outcome(ended), in_words(errno), within(calls, 1));
                format!(
                    "wait with a timeout of {timeout:?}, the kernel says \"{says}\" once: {ended}\n  \
                     system calls: {calls}; {events}"
                )
            }
        };
        say!(t, "a wait has found an event; {}", line.trim_end());
    }
    Ok(())
}

/// Runs `wait` in a thread, which gets a signal once it's asleep.
fn interrupted(wait: impl FnOnce() -> String + Send + 'static) -> anyhow::Result<String> {
    let sleeper = Sleeper::start(wait)?;
    sleeper.wait_until_asleep()?;
    sleeper.interrupted()
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
    "A wait makes one system call, with no other check before it, and allocates no memory."
);
fn waits_cost_one_call(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let observer = Observer::new()?;
    for capacity in program.verbs([1, 64, 4096]) {
        let (reader, writer) = pipe()?;
        let epoll = Epoll::new()?;
        epoll.add(&reader, 7, Interest::READABLE, Trigger::Level)?;
        let mut events = Events::with_capacity(capacity);
        let milli = Some(Duration::from_millis(1));
        let looks = refusals(libc::EIO, true);
        let idle = Refusal::all_during(&looks, || epoll.wait(&mut events, milli))?;
        say!(t, "wait for 1ms, when every check without a sleep fails: {}", outcome(idle));
        write(&writer, b"x")?;
        let ready = Refusal::all_during(&looks, || epoll.wait(&mut events, None))?;
        say!(
            t,
            "wait for a byte without a timeout, when every check without a sleep fails: {}",
            outcome(ready)
        );
        let old = [Refusal { call: libc::SYS_epoll_pwait2, argument: None, errno: libc::ENOSYS }];
        let ended = Refusal::all_during(&old, || epoll.wait(&mut events, milli))?;
        say!(t, "a wait on Linux 5.10, which has no epoll_pwait2: {}", outcome(ended));
        let (ended, memory) = Memory::of(|| epoll.wait(&mut events, None));
        ended?;
        let cost = within(memory.allocations, 0);
        say!(t, "wait with room for {capacity}; allocations: {cost}");
        read(&reader, &mut [0; 16])?;
        let (ended, memory) = Memory::of(|| epoll.wait(&mut events, NOW));
        ended?;
        let cost = within(memory.allocations, 0);
        say!(t, "wait with room for {capacity}, when no byte has arrived; allocations: {cost}");
        for timeout in [NOW, milli] {
            let (ended, calls) = observer.calls_of(|| epoll.wait(&mut events, timeout));
            let (ended, calls) = (outcome(ended), within(calls, 1));
            say!(t, "wait with a timeout of {timeout:?}: {ended}; system calls: {calls}");
        }
        let (ended, sleeps) = sleeps_in(|| epoll.wait(&mut events, NOW))?;
        say!(t, "wait with a timeout of 0ns: {}; sleeps: {}", outcome(ended), within(sleeps, 0));
    }
    Ok(())
}
