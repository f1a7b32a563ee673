//! The events recorded during a story, and the story's outcome.

use std::fmt;

use asyncio::Time;

use crate::ticks;

/// The events recorded so far during a story.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// The events, in order, each with its time.
    pub(crate) log: Vec<(Time, String)>,
    /// The number of events in `log` that have already been shown among the ticks.
    pub(crate) told: usize,
    /// The bytes that each client received after its last complete line.
    pub(crate) rests: Vec<(&'static str, Vec<u8>)>,
    /// The times of the loop's timers to which the clock has been advanced.
    pub(crate) timers: Vec<Time>,
    /// The error that kept the story from being played to its end.
    pub(crate) failed: Option<anyhow::Error>,
}

/// A story that was played.
#[derive(Debug)]
pub struct Played {
    pub(crate) seen: Seen,
    pub(crate) ticks: String,
    pub(crate) outcome: Outcome,
}

/// A story's outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The fault has shown itself, with this symptom.
    Symptom(String),
    /// The fault didn't show itself, but an event that should have happened didn't.
    Missing(String),
    /// The fault didn't show itself, and every event that should have happened did.
    AllIsWell,
}

impl Played {
    /// Returns the story as text, followed by its outcome. If the loop's ticks were recorded, the
    /// story's events appear among them.
    pub fn ticks(&self) -> String {
        format!("{}\n{}\n", self.ticks, self.outcome)
    }

    /// Returns the story's outcome.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Returns the time of the last event with this text, such as "the server has ended".
    pub fn when(&self, what: &str) -> Option<Time> {
        self.seen.log.iter().rfind(|(_, said)| said == what).map(|(at, _)| *at)
    }

    /// Returns the time at which a client first received a line.
    pub fn first_received(&self, who: &str, line: &str) -> Option<Time> {
        let what = format!("{who} receives {line:?}");
        self.seen.log.iter().find(|(_, said)| *said == what).map(|(at, _)| *at)
    }

    /// Returns the time at which a client last received a line.
    pub fn received(&self, who: &str, line: &str) -> Option<Time> {
        self.when(&format!("{who} receives {line:?}"))
    }

    /// Returns the bytes that a client received after its last complete line.
    pub fn rest(&self, who: &str) -> &[u8] {
        let rest = self.seen.rests.iter().find(|(name, _)| *name == who);
        rest.map_or(&[], |(_, rest)| rest)
    }

    /// Returns how many times after `time` the loop slept until one of its timers was due.
    pub fn timers_after(&self, time: Time) -> usize {
        self.seen.timers.iter().filter(|timer| **timer > time).count()
    }
}

impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, what) in &self.seen.log {
            writeln!(f, "{:>6} s  {what}", ticks::seconds(*at - Time::ZERO))?;
        }
        writeln!(f, "\n{}", self.outcome)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Symptom(symptom) => write!(f, "The symptom: {symptom}."),
            Outcome::Missing(missing) => write!(f, "The fault is gone, but {missing}."),
            Outcome::AllIsWell => write!(f, "All is well."),
        }
    }
}

/// Returns the time `count` milliseconds after the beginning of a story.
pub(crate) const fn milliseconds(count: u64) -> Time {
    Time::from_nanos(count * 1_000_000)
}
