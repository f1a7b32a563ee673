//! What put each entry into the queue: an event, a timer, or a callback or step of the last tick.
//!
//! Nothing in the queue says so, and a loop that isn't traced has no use for it. So a trace watches
//! the queue grow: whatever joins it right after an event was put there by that event. What the
//! queue then runs is recognised by what it is, because a cancelled callback leaves the queue
//! without a word.

use std::collections::VecDeque;

use step06_tasks::{Ran, ReadyQueue};

use super::QueuedBy;

/// An entry of the queue, and what queued it.
pub(super) type Queued = (Ran, Option<QueuedBy>);

/// What's in the queue, as far as the trace has seen it come.
#[derive(Default)]
pub(super) struct Causes {
    /// What this tick runs, next first.
    queued: VecDeque<Queued>,
    /// What its callbacks and steps queued for the next one.
    next: Vec<Queued>,
    /// How many of the queue's entries are known.
    known: usize,
    /// What queued the entry that's running.
    current: Option<QueuedBy>,
}

impl Causes {
    /// Takes over what the last tick queued. Entries behind those came in between. Returns what
    /// never ran, to be dropped when nothing is borrowed.
    pub(super) fn tick_begins(&mut self, queue: &ReadyQueue) -> VecDeque<Queued> {
        let next = std::mem::take(&mut self.next).into();
        let left = std::mem::replace(&mut self.queued, next);
        self.known = self.queued.len();
        self.came(None, queue);
        left
    }

    /// Notes what queued the new entries.
    pub(super) fn came(&mut self, by: Option<QueuedBy>, queue: &ReadyQueue) {
        let new = queue.ready_behind(self.known);
        self.known += new.len();
        self.queued.extend(new.into_iter().map(|what| (what, by)));
    }

    /// Notes a timer that's about to be queued.
    pub(super) fn timer_comes(&mut self, what: Ran, by: QueuedBy) {
        self.known += 1;
        self.queued.push_back((what, Some(by)));
    }

    /// Notes that an entry has left the queue and runs. Returns it and the entries it skipped, to
    /// be dropped when nothing is borrowed.
    pub(super) fn begins(&mut self, ran: &Ran, queue: &ReadyQueue) -> Vec<Queued> {
        let place = self.queued.iter().position(|(what, _)| is_same(what, ran));
        let taken: Vec<Queued> = self.queued.drain(..place.map_or(0, |place| place + 1)).collect();
        self.current = taken.last().and_then(|(_, by)| *by);
        self.known = queue.ready_count();
        taken
    }

    /// Returns what queued the entry that has just run, as the tick's run with this number.
    pub(super) fn has_run(&mut self, number: usize, queue: &ReadyQueue) -> Option<QueuedBy> {
        let new = queue.ready_behind(self.known);
        self.next.extend(new.into_iter().map(|what| (what, Some(QueuedBy::Run(number)))));
        self.current.take()
    }
}

/// Two entries of a kind can't be told apart, and then the nearer one is meant.
fn is_same(queued: &Ran, ran: &Ran) -> bool {
    match (queued, ran) {
        (Ran::Callback(one), Ran::Callback(other)) => one == other,
        (Ran::Step(one), Ran::Step(other)) => one == other,
        (Ran::Wake, Ran::Wake) => true,
        _ => false,
    }
}
