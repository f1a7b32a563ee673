//! Idle timeouts: a client that has been silent for too long is disconnected.
//!
//! Each client has one timer. Moving the timer for each message would cost a heap operation, so a
//! message only updates the recorded time. When the timer fires, a client that has been silent for
//! the whole limit is disconnected; any other client that's still there gets a new timer for the
//! rest of its limit.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use step04_timers::Time;

use super::{Shared, Timer};
use crate::Task;

/// The time for which a client can be silent before the server disconnects it.
pub(crate) const IDLE_LIMIT: Duration = Duration::from_mins(1);

/// A client's task and the time at which it connected or bytes last passed in either direction.
pub(crate) struct Client {
    task: Task<()>,
    last_activity: Rc<Cell<Time>>,
}

impl Client {
    pub(crate) fn new(task: Task<()>, last_activity: Rc<Cell<Time>>) -> Self {
        Client { task, last_activity }
    }

    /// Sets the timer for the time at which the client reaches the limit if it stays silent.
    pub(crate) fn watch(self, shared: &Shared) {
        let limit = self.last_activity.get() + shared.idle_limit;
        shared.timers.borrow_mut().push(limit, Timer::Idle(self));
    }

    // ANCHOR: check_idle
    /// Handles the client's timer: cancels the task if the client has been silent for the limit
    /// and otherwise sets a new timer, unless the task has ended.
    pub(crate) fn check_idle(self, shared: &Shared, now: Time) {
        if self.last_activity.get() + shared.idle_limit <= now {
            self.task.cancel();
        } else if !self.task.done() {
            self.watch(shared);
        }
    }
    // ANCHOR_END: check_idle
}
