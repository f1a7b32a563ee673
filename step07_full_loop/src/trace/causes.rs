//! The cause of each entry in the queue: an event, a timer, or an entry of the last tick.
//!
//! The queue doesn't note the cause, and a loop that isn't traced has no use for it. So a trace
//! watches the queue grow: an entry that joins the queue right after an event was put there by that
//! event. When the queue runs an entry, the trace finds it by its content, because a cancelled
//! callback leaves the queue without a word.

use std::collections::VecDeque;

use step06_tasks::{Ran, ReadyQueue};

use super::QueuedBy;

/// An entry of the queue, and its cause.
pub(super) type Queued = (Ran, Option<QueuedBy>);

/// The entries of the queue whose arrival the trace has seen.
#[derive(Default)]
pub(super) struct Causes {
    /// The entries that this tick runs, in their order.
    queued: VecDeque<Queued>,
    /// The entries that its callbacks and steps have queued for the next tick.
    next: Vec<Queued>,
    /// The number of the queue's entries that are known.
    known: usize,
    /// The cause of the entry that's running.
    current: Option<QueuedBy>,
}

impl Causes {
    /// Takes over the entries that the last tick queued. Entries behind those came in between.
    /// Returns entries that never ran, to be dropped when nothing is borrowed.
    pub(super) fn tick_begins(&mut self, queue: &ReadyQueue) -> VecDeque<Queued> {
        let next = std::mem::take(&mut self.next).into();
        let left = std::mem::replace(&mut self.queued, next);
        self.known = self.queued.len();
        self.came(None, queue);
        left
    }

    /// Notes the cause of the new entries.
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

    /// Notes that an entry has left the queue and is running. Returns it and the skipped entries,
    /// to be dropped when nothing is borrowed.
    pub(super) fn begins(&mut self, ran: &Ran, queue: &ReadyQueue) -> Vec<Queued> {
        let place = self.queued.iter().position(|(what, _)| is_same(what, ran));
        let taken: Vec<Queued> = self.queued.drain(..place.map_or(0, |place| place + 1)).collect();
        self.current = taken.last().and_then(|(_, by)| *by);
        self.known = queue.ready_count();
        taken
    }

    /// Returns the cause of the entry that has just run, which is the tick's run `number`.
    pub(super) fn has_run(&mut self, number: usize, queue: &ReadyQueue) -> Option<QueuedBy> {
        let new = queue.ready_behind(self.known);
        self.next.extend(new.into_iter().map(|what| (what, Some(QueuedBy::Run(number)))));
        self.current.take()
    }
}

/// Two equal entries can't be told apart; in that case the nearer entry is meant.
fn is_same(queued: &Ran, ran: &Ran) -> bool {
    match (queued, ran) {
        (Ran::Callback(one), Ran::Callback(other)) => one == other,
        (Ran::Step(one), Ran::Step(other)) => one == other,
        (Ran::Wake, Ran::Wake) => true,
        _ => false,
    }
}
