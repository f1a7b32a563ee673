//! What there was to see while a story was played, and how the story has ended.

use std::fmt;

use asyncio::Time;

use crate::ticks;

/// What there was to see, while the story was played.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// What has happened, in order, and when.
    pub(crate) log: Vec<(Time, String)>,
    /// How much of that the ticks show already.
    pub(crate) told: usize,
    /// What each client has received after its last line.
    pub(crate) rests: Vec<(&'static str, Vec<u8>)>,
    /// When the loop has slept until a timer of its own.
    pub(crate) timers: Vec<Time>,
    /// Why the story can't be played to its end.
    pub(crate) failed: Option<anyhow::Error>,
}

/// A story that was played to its end.
#[derive(Debug)]
pub struct Played {
    pub(crate) seen: Seen,
    pub(crate) ticks: String,
    pub(crate) outcome: Outcome,
}

/// How a story has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The fault shows.
    Symptom(String),
    /// The fault doesn't show, but something that has to happen doesn't happen either.
    Missing(String),
    /// Neither.
    AllIsWell,
}

impl Played {
    /// Returns the loop's ticks as text, with the story in between, if they were recorded.
    pub fn ticks(&self) -> String {
        format!("{}\n{}\n", self.ticks, self.outcome)
    }

    /// Returns how the story has ended.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Returns when something has happened last, such as "the server has ended".
    pub fn when(&self, what: &str) -> Option<Time> {
        self.seen.log.iter().rfind(|(_, said)| said == what).map(|(at, _)| *at)
    }

    /// Returns when a client has received a line, the first time.
    pub fn first_received(&self, who: &str, line: &str) -> Option<Time> {
        let what = format!("{who} receives {line:?}");
        self.seen.log.iter().find(|(_, said)| *said == what).map(|(at, _)| *at)
    }

    /// Returns when a client has received a line, the last time.
    pub fn received(&self, who: &str, line: &str) -> Option<Time> {
        self.when(&format!("{who} receives {line:?}"))
    }

    /// Returns what a client has received after its last line.
    pub fn rest(&self, who: &str) -> &[u8] {
        let rest = self.seen.rests.iter().find(|(name, _)| *name == who);
        rest.map_or(&[], |(_, rest)| rest)
    }

    /// Returns how often, after `time`, the loop slept until one of its timers was due.
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

/// Returns a time of a story.
pub(crate) const fn milliseconds(count: u64) -> Time {
    Time::from_nanos(count * 1_000_000)
}
