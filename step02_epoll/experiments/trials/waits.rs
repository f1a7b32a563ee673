//! Trials of the events that the wait finds.

use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use scene::{Program, Random, Transcript, say, trial};
use step01_fd::{pipe, raise_descriptor_limit, read, set_nonblocking, write};
use step02_epoll::{Epoll, Event, Events, Interest, Trigger};

use super::outcome;

pub(super) const NOW: Option<Duration> = Some(Duration::ZERO);

/// An operation on an epoll and four pipes, whose numbers are their tokens.
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
            Verb::Wait { capacity } => write!(f, "wait with room for {capacity}"),
        }
    }
}

trial!(
    ready_descriptors_in_any_order,
    60,
    "Each wait fills Events with the descriptors that epoll reports now, as many as fit."
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
pub(super) fn found(events: &Events, capacity: usize) -> String {
    let mut tokens: Vec<u64> = events.iter().map(Event::token).collect();
    tokens.sort_unstable();
    match tokens.len() {
        0 => "no events".to_owned(),
        count if count >= capacity => format!("{count} events"),
        _ => format!("events of {tokens:?}"),
    }
}

/// The number of descriptors that are ready at once.
const MANY: usize = 1100;

trial!(
    many_are_ready,
    1,
    "A wait reports as many descriptors as there's room for, each once and with its own token."
);
/// The ready descriptors are duplicates of one pipe's reading end, and each has its own entry in
/// the list.
fn many_are_ready(program: &Program, t: Transcript) -> anyhow::Result<()> {
    raise_descriptor_limit()?;
    let (reader, writer) = pipe()?;
    let epoll = Epoll::new()?;
    let mut duplicates = Vec::new();
    for token in tokens().take(MANY) {
        let duplicate = reader.try_clone()?;
        epoll.add(&duplicate, token, Interest::READABLE, Trigger::Level)?;
        duplicates.push(duplicate);
    }
    write(&writer, b"x")?;
    let beside = (0..=10).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]);
    for capacity in program.verbs(beside.chain([100, 1000, MANY - 1, MANY, MANY + 1, 4096])) {
        say!(
            t,
            "{MANY} descriptors are ready; wait with room for {capacity}: {}",
            found_of(&epoll, capacity)?
        );
    }
    for capacity in program.verbs([1, 64, 100, MANY]) {
        for (duplicate, token) in duplicates.iter().zip(tokens()) {
            epoll.modify(duplicate, token, Interest::READABLE, Trigger::OneShot)?;
        }
        let first = found_of(&epoll, capacity)?;
        say!(
            t,
            "{MANY} descriptors are ready, each with a one-shot registration; wait with room for {capacity}: {first}"
        );
        say!(t, "  wait with room for {MANY}: {}", found_of(&epoll, MANY)?);
    }
    for capacity in program.verbs([1, 2, 3]) {
        // Which token a descriptor has is up to the caller.
        let epoll = Epoll::new()?;
        for duplicate in &duplicates[..2] {
            epoll.add(duplicate, 7, Interest::READABLE, Trigger::Level)?;
        }
        let mut events = Events::with_capacity(capacity);
        epoll.wait(&mut events, NOW)?;
        let found = events.len();
        say!(
            t,
            "2 descriptors with the same token are ready; wait with room for {capacity}: events: {found}"
        );
    }
    Ok(())
}

/// Waits and describes the events that the wait has found.
fn found_of(epoll: &Epoll, capacity: usize) -> anyhow::Result<String> {
    let mut events = Events::with_capacity(capacity);
    epoll.wait(&mut events, NOW)?;
    let mut found: Vec<u64> = events.iter().map(Event::token).collect();
    found.sort_unstable();
    found.dedup();
    let known: HashSet<u64> = tokens().take(MANY).collect();
    let strangers = found.iter().filter(|token| !known.contains(token)).count();
    let (events, found) = (events.len(), found.len());
    Ok(format!("{events} events, {found} tokens, {strangers} of them unknown"))
}

/// Returns tokens of all lengths: first tokens with a single bit set or a single bit clear, then
/// others.
fn tokens() -> impl Iterator<Item = u64> {
    let alone = (0..u64::BITS).map(|bit| 1 << bit);
    alone.clone().chain(alone.map(|bit: u64| !bit)).chain((0..).map(|token| (token << 9) + 5))
}
