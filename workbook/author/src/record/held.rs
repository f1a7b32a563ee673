//! The contents of queues and loops at a moment, as reported by their onlookers: ready tasks,
//! timers, and the objects that tasks wait for.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::noted::Noted;
use super::run::begins_to_run;
use super::things::{NEXT, Thing, Things};

/// The separator between a timer's time and its name, and between a task and the object that the
/// task waits for.
const BETWEEN: &str = "\u{1e}\u{1e}";

/// A timer in a loop's heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Timer {
    /// The time at which the timer is due, if the time is the same in each run.
    pub(super) at: Option<String>,
    pub(super) what: Thing,
}

impl Timer {
    pub(super) fn in_json(timers: &[Timer]) -> Value {
        let told = |timer: &Timer| {
            let at = timer.at.as_deref().unwrap_or("later");
            json!({ "at": at, "what": timer.what.name })
        };
        timers.iter().map(told).collect()
    }
}

impl Things<'_> {
    /// Returns the ready tasks and callbacks, with the next one first. If one of them begins to run
    /// at this moment, it's still the first. `due` contains the tasks that haven't been woken yet
    /// although their timers are due. A wake doesn't identify its task, but the wakes come in the
    /// order of the timers.
    pub(super) fn ready(&self, noted: &Noted<'_>, due: &VecDeque<String>) -> Option<Vec<Thing>> {
        let mut due = due.iter();
        // A task that begins to run has already left the queue.
        let has_left = begins_to_run(noted).then_some(noted.what);
        let told = has_left.into_iter().chain(entries(noted.field("ready")?));
        let ready = told.map(|told| match told {
            "wake" => Thing::of_a_wake(due.next()),
            told => self.named(told),
        });
        Some(ready.collect())
    }

    /// Returns the timers, with the nearest first.
    pub(super) fn timers(&self, noted: &Noted<'_>) -> Option<Vec<Timer>> {
        let timers = entries(noted.field("timers")?).filter_map(|entry| entry.split_once(BETWEEN));
        let timers = timers.map(|(at, what)| Timer {
            at: (!at.is_empty()).then(|| in_time(at).to_owned()),
            what: self.named(what),
        });
        Some(timers.collect())
    }

    /// Returns the waiting tasks, each with the object that it waits for and the event that will
    /// wake it. `order` contains all tasks in the order in which they were created.
    pub(super) fn waits(
        &self,
        noted: &Noted<'_>,
        timers: &[Timer],
        due: &VecDeque<String>,
        order: &[String],
    ) -> Option<Value> {
        let entries = entries(noted.field("waits")?).filter_map(|entry| entry.split_once(BETWEEN));
        let mut waits: Vec<(String, &str)> =
            entries.map(|(task, waits_for)| (self.named(task).name, waits_for)).collect();
        waits.sort_by_key(|(task, _)| order.iter().position(|it| it == task));
        let described = waits.into_iter().map(|(task, waits_for)| {
            let timer = timers.iter().find(|timer| timer.what.is_task && timer.what.name == task);
            let (waits_for, woken_by) = match (waits_for, timer) {
                ("leaf", Some(Timer { at: Some(at), .. })) => {
                    (format!("a sleep until {at}"), format!("the timer at {at}"))
                }
                ("leaf", Some(_)) => ("a sleep".to_owned(), "its timer".to_owned()),
                ("leaf", None) if due.contains(&task) => (
                    "a sleep that's over".to_owned(),
                    "its timer, which is in the queue".to_owned(),
                ),
                ("leaf", None) => ("a leaf".to_owned(), "the waker it has left there".to_owned()),
                ("future", _) => ("a future".to_owned(), "the future's result".to_owned()),
                (inner, _) => {
                    let name = self.named(inner).name;
                    (name.clone(), format!("the end of {name}"))
                }
            };
            json!({ "task": task, "for": waits_for, "woken_by": woken_by })
        });
        Some(described.collect())
    }
}

fn entries(told: &str) -> impl Iterator<Item = &str> {
    told.split(NEXT).filter(|entry| !entry.is_empty())
}

/// Returns a duration's text, with `0` in place of `0ns`.
pub(super) fn in_time(told: &str) -> &str {
    if told == "0ns" { "0" } else { told }
}
