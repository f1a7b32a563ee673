//! The actions in the programs of a time limit's trial.

use std::fmt;
use std::time::Duration;

use scene::Random;

/// The only time at which two things can happen. What comes out doesn't depend on which is first.
const SAME_TIME: Duration = Duration::from_millis(5);

#[derive(Debug, Clone, Copy)]
pub(super) enum Verb {
    /// A limit around the block and the limits that come later.
    Limit(Option<Duration>),
    /// A limit that's dropped, with all that's in it, unless it ends before that.
    DroppedAfter(Duration, DroppedBy, Option<Duration>),
    /// Before the first limit, the task is cancelled, swallows the error and goes on.
    CancelledBefore,
    /// A part of the block.
    Step(Action),
    /// Other code cancels the task.
    CancelAt(Duration),
    CancelWithMessageAt(Duration),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum DroppedBy {
    TheTask,
    ACallback,
    /// The task goes on without the block and ends before the block is dropped.
    Others,
    /// The same, but the block isn't dropped until no loop runs.
    AfterTheLoop,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Action {
    Sleep(Duration),
    /// A sleep that ends early if it's cancelled, after which the block goes on.
    Swallow(Duration),
    /// If it's cancelled, the block sleeps for as long again, and ends.
    CleanUp(Duration),
    CancelItself,
    Uncancel,
    /// Sets the deadline of the limit with this number.
    Reschedule(usize, Option<Duration>),
    Fail,
    ReportCancelled,
    Panic,
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Limit(limit) => f.write_str(&in_words(*limit)),
            Verb::DroppedAfter(time, by, limit) => {
                let limit = in_words(*limit);
                match by {
                    DroppedBy::TheTask => write!(f, "{limit}, dropped by the task after {time:?}"),
                    DroppedBy::ACallback => {
                        write!(f, "{limit}, dropped by a callback after {time:?}")
                    }
                    DroppedBy::Others => {
                        write!(f, "{limit}, left after {time:?} and dropped after the task's end")
                    }
                    DroppedBy::AfterTheLoop => {
                        write!(f, "{limit}, left after {time:?} and dropped where no loop runs")
                    }
                }
            }
            Verb::CancelledBefore => {
                f.write_str("before the first limit, the task is cancelled and goes on")
            }
            Verb::Step(action) => write!(f, "the block {action}"),
            Verb::CancelAt(time) => write!(f, "after {time:?}, the task is cancelled"),
            Verb::CancelWithMessageAt(time) => {
                write!(f, "after {time:?}, the task is cancelled with a message")
            }
        }
    }
}

fn in_words(limit: Option<Duration>) -> String {
    let of = |limit: Duration| format!("a limit of {limit:?}");
    limit.map_or_else(|| "a limit without a deadline".to_owned(), of)
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Sleep(time) => write!(f, "sleeps for {time:?}"),
            Action::Swallow(time) => write!(f, "sleeps for {time:?} and swallows a cancellation"),
            Action::CleanUp(time) => {
                write!(f, "sleeps for {time:?}; if it's cancelled, it cleans up for as long")
            }
            Action::CancelItself => f.write_str("cancels its own task"),
            Action::Uncancel => f.write_str("takes back a request to cancel its task"),
            Action::Reschedule(number, Some(time)) => {
                write!(f, "gives limit {number} another {time:?}")
            }
            Action::Reschedule(number, None) => write!(f, "removes the deadline of limit {number}"),
            Action::Fail => f.write_str("fails"),
            Action::ReportCancelled => f.write_str("fails with Cancelled"),
            Action::Panic => f.write_str("panics"),
        }
    }
}

/// Returns a time that can't be the sum of others.
fn unique(random: &mut Random, number: usize) -> Duration {
    let millis = random.choose(&[1, 2, 3, 4, 6, 8]);
    Duration::from_millis(millis) + Duration::from_micros(1 << number)
}

fn limit(random: &mut Random, number: usize) -> Option<Duration> {
    match random.below(8) {
        0 => None,
        1 => Some(Duration::ZERO),
        2..4 => Some(SAME_TIME),
        _ => Some(unique(random, number)),
    }
}

pub(super) fn random_verbs(random: &mut Random) -> Vec<Verb> {
    let mut verbs = Vec::new();
    for number in 0..=random.below(3) {
        verbs.push(match random.below(8) {
            0 => {
                let by = [DroppedBy::TheTask, DroppedBy::TheTask, DroppedBy::ACallback];
                let time = unique(random, number + 3);
                Verb::DroppedAfter(time, random.choose(&by), limit(random, number))
            }
            _ => Verb::Limit(limit(random, number)),
        });
    }
    if random.once_in(5) {
        verbs.push(Verb::CancelledBefore);
        // The block can take back a request that was there before it began.
        if random.once_in(2) {
            verbs.push(Verb::Step(Action::Uncancel));
        }
    }
    for number in 6..6 + random.below(4) {
        let time = unique(random, number);
        verbs.push(Verb::Step(match random.below(16) {
            0..5 => Action::Sleep(time),
            5..8 => Action::Swallow(time),
            8..10 => Action::CleanUp(time),
            10 => Action::CancelItself,
            11 => Action::Uncancel,
            12..14 => Action::Reschedule(random.below(3), random.choose(&[None, Some(time)])),
            14 => Action::Fail,
            _ => Action::ReportCancelled,
        }));
    }
    if random.once_in(2) {
        let time = unique(random, 10);
        let time = random.choose(&[SAME_TIME, time]);
        let with = random.once_in(3);
        verbs.push(if with { Verb::CancelWithMessageAt(time) } else { Verb::CancelAt(time) });
    }
    verbs
}

/// Returns the verbs of a block that's dropped or panics, before its deadline or long after it, or
/// whose task has fewer requests at its end than before the block.
pub(super) fn verbs_of_a_lost_block(variant: u32) -> Vec<Verb> {
    let (soon, later) = (Duration::from_millis(2), Duration::from_secs(10));
    let (limit, between) = (Verb::Limit(Some(soon)), Duration::from_millis(20));
    let dropped = |by, limit| {
        let steps = [Action::Swallow(later), Action::Sleep(later)].map(Verb::Step);
        [vec![Verb::DroppedAfter(between, by, Some(limit))], steps.to_vec()].concat()
    };
    match variant % 9 {
        0 => dropped(DroppedBy::TheTask, soon),
        1 => dropped(DroppedBy::ACallback, soon),
        2 => dropped(DroppedBy::Others, soon),
        3 => {
            let steps = [Action::Uncancel, Action::Sleep(later)].map(Verb::Step);
            [vec![Verb::CancelledBefore; 2], vec![limit], steps.to_vec()].concat()
        }
        4 => {
            let steps = [Action::Swallow(later), Action::Panic].map(Verb::Step);
            [vec![limit], steps.to_vec()].concat()
        }
        5 => vec![Verb::Limit(Some(later)), Verb::Step(Action::Panic)],
        6 => dropped(DroppedBy::Others, later),
        7 => dropped(DroppedBy::AfterTheLoop, soon),
        _ => dropped(DroppedBy::AfterTheLoop, later),
    }
}
