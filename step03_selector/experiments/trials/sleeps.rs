//! Trials of how long select sleeps and of waits that fail.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use kit::{Refusal, Sleeper};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use scene::{Program, Transcript, say, trial};
use step01_fd::{pipe, write};
use step03_selector::{EpollSelector, Interest, Selector};

use super::bench::described;
use super::refused;

trial!(
    sleeps_as_long_as_asked,
    1,
    "select waits once, with the timeout that it's given, and reports the events of that wait."
);
fn sleeps_as_long_as_asked(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let seconds = (6..64).step_by(3).map(|power| Duration::from_secs(1 << power));
    let others = [
        Duration::MAX,
        Duration::from_millis(i32::MAX as u64),
        Duration::from_millis(u64::from(u32::MAX)),
        Duration::from_hours(1),
        Duration::from_secs(100),
        Duration::from_nanos(50_000_000_001),
    ];
    let timeouts = seconds.chain(others).map(Some).chain([None]);
    for timeout in program.verbs(timeouts) {
        let (reader, writer) = pipe()?;
        let mut selector = EpollSelector::new()?;
        selector.register(&reader, Interest::READABLE, 1)?;
        let sleeper = Sleeper::start(move || select(&mut selector, timeout))?;
        sleeper.wait_until_asleep()?;
        say!(t, "select with the timeout {timeout:?} sleeps {}", sleep_of(&sleeper));
        write(&writer, b"x")?;
        say!(t, "  a byte arrives, and select returns: {}", sleeper.join()?);
        drop(reader);
    }
    for timeout in program.verbs([Duration::from_millis(20)]) {
        let mut selector = EpollSelector::new()?;
        let started = Instant::now();
        let did = select(&mut selector, Some(timeout));
        let is_early = started.elapsed() < timeout;
        let ends = if is_early { "early" } else { "when the time is over" };
        say!(t, "with no registrations, select with the timeout {timeout:?} ends {ends}: {did}");
    }
    Ok(())
}

/// Describes the timeout of the wait in which a thread sleeps.
fn sleep_of(sleeper: &Sleeper) -> String {
    let timeout = sleeper.arguments().and_then(|arguments| arguments.get(3).copied());
    // epoll_pwait2 takes a pointer instead of an integer, which is null if the sleep has no end.
    let Some(timeout) = timeout else { return "no more".to_owned() };
    match u32::try_from(timeout).map(u32::cast_signed) {
        Ok(0 | -1) => "until something happens".to_owned(),
        Ok(milliseconds) => format!("for {milliseconds} ms"),
        Err(_) if timeout == u64::MAX => "until something happens".to_owned(),
        Err(_) => "for a time that's passed by pointer".to_owned(),
    }
}

trial!(
    waits_that_fail,
    1,
    "select passes on the wait's error; a signal or a stale event isn't an error."
);
fn waits_that_fail(program: &Program, t: Transcript) -> anyhow::Result<()> {
    refused::selects(program, t)?;
    for timeout in program.verbs([None, Some(Duration::from_hours(1))]) {
        let (reader, writer) = pipe()?;
        write(&writer, b"x")?;
        let mut selector = EpollSelector::new()?;
        selector.register(&reader, Interest::READABLE, 1)?;
        let looked =
            Refusal::all_during(&looks_without_a_sleep(), || select(&mut selector, timeout))?;
        say!(
            t,
            "a pipe is ready, but a check without a sleep fails; select with {timeout:?}: {looked}"
        );
    }
    for timeout in program.verbs([None, Some(Duration::ZERO), Some(Duration::from_hours(1))]) {
        let (reader, writer) = pipe()?;
        let _duplicate = reader.try_clone()?;
        let (other, _other_writer) = pipe()?;
        let mut selector = EpollSelector::new()?;
        selector.register(&reader, Interest::READABLE, 1)?;
        let mut reader = reader;
        rustix::io::dup2(&other, &mut reader)?;
        selector.unregister(&reader)?;
        write(&writer, b"x")?;
        let did = select(&mut selector, timeout);
        say!(
            t,
            "the only event belongs to an earlier registration; select with {timeout:?}: {did}"
        );
        if timeout != Some(Duration::ZERO) {
            let looks = looks_without_a_sleep();
            let did = Refusal::all_during(&looks, || select(&mut selector, timeout))?;
            say!(t, "  again, when a check without a sleep fails: {did}");
        }
    }
    Ok(())
}

/// Returns the refusals of the waits whose timeout is zero milliseconds.
fn looks_without_a_sleep() -> Vec<Refusal> {
    let waits = Refusal::of_epoll_waits(libc::EIO).into_iter();
    // This one takes a pointer, which is null if the sleep has no end.
    let in_milliseconds = waits.filter(|wait| wait.call != libc::SYS_epoll_pwait2);
    in_milliseconds.map(|wait| Refusal { argument: Some((3, 0)), ..wait }).collect()
}

trial!(many_at_once, 1, "select reports all ready descriptors, each with its own data.");
fn many_at_once(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    write(&writer, b"x")?;
    for count in program.verbs([1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 300]) {
        let mut selector = EpollSelector::new()?;
        let readers: Vec<_> = (0..count).map(|_| reader.try_clone()).collect::<Result<_, _>>()?;
        for (data, reader) in readers.iter().enumerate() {
            selector.register(reader, Interest::READABLE, data)?;
        }
        let mut ready = Vec::new();
        selector.select(None, &mut ready)?;
        ready.sort_by_key(|event| event.data);
        let is_each = ready.iter().map(|event| event.data).eq(0..count);
        let each = if is_each { "all of them" } else { "not all of them" };
        say!(t, "{count} descriptors are ready; select: {} events, {each}", ready.len());
    }
    let before = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: before.maximum, ..before })?;
    for count in program.verbs([1023, 1024, 1025, 1030]) {
        say!(t, "{count} edge-triggered descriptors are ready; select: {}", edges(&reader, count)?);
    }
    Ok(setrlimit(Resource::Nofile, before)?)
}

/// Selects until nothing is ready and says how many events there were each time. An edge is
/// reported only once, so a selector that asks too often comes to an end, too.
fn edges(reader: &OwnedFd, count: usize) -> anyhow::Result<String> {
    let mut selector = EpollSelector::new()?;
    let readers: Vec<_> = (0..count).map(|_| reader.try_clone()).collect::<Result<_, _>>()?;
    for (data, reader) in readers.iter().enumerate() {
        selector.register_edge(reader, Interest::READABLE, data)?;
    }
    let (mut ready, mut found) = (Vec::new(), BTreeSet::new());
    let mut text = String::new();
    for timeout in [Duration::from_secs(1), Duration::ZERO, Duration::ZERO] {
        // The first of them waits once, however many it finds: it doesn't look again for more.
        let looks = if timeout.is_zero() { Vec::new() } else { looks_without_a_sleep() };
        match Refusal::all_during(&looks, || selector.select(Some(timeout), &mut ready))? {
            Ok(()) => write!(text, "{} events, ", ready.len())?,
            Err(error) => write!(text, "{error}, ")?,
        }
        found.extend(ready.iter().map(|event| event.data));
    }
    let each = if found.into_iter().eq(0..count) { "all of them" } else { "not all of them" };
    Ok(text + each)
}

fn select(selector: &mut EpollSelector<usize>, timeout: Option<Duration>) -> String {
    let mut ready = Vec::new();
    match selector.select(timeout, &mut ready) {
        Ok(()) => described(&ready),
        Err(error) => format!("{:?}", error.kind()),
    }
}
