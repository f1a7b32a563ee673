//! Idle timeouts: a client that has been silent for too long is disconnected.
//!
//! Each client has one timer. Its bytes don't move the timer, since that would cost a heap operation
//! each; they only note the time. When the timer fires it compares, and waits for what is left.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use step04_timers::Time;

use super::{Shared, Timer};
use crate::Task;

/// How long a client may be silent.
pub(crate) const IDLE_LIMIT: Duration = Duration::from_mins(1);

/// A client's task, and when the client last sent or took something.
pub(crate) struct Client {
    task: Task<()>,
    last_activity: Rc<Cell<Time>>,
}

impl Client {
    pub(crate) fn new(task: Task<()>, last_activity: Rc<Cell<Time>>) -> Self {
        Client { task, last_activity }
    }

    /// Sets the timer for the moment at which the client will have been silent for too long.
    pub(crate) fn watch(self, shared: &Shared) {
        let limit = self.last_activity.get() + shared.idle_limit;
        shared.timers.borrow_mut().push(limit, Timer::Idle(self));
    }

    /// The timer fired: cancels the client's task, unless there was activity since.
    pub(crate) fn check_idle(self, shared: &Shared, now: Time) {
        if self.last_activity.get() + shared.idle_limit <= now {
            self.task.cancel();
        } else if !self.task.done() {
            self.watch(shared);
        }
    }
}
