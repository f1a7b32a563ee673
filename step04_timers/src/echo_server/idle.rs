//! Idle timeouts: how the server notices that a client has been silent for too long.
//!
//! A message doesn't move the client's timer, because that would cost two heap operations. The
//! message only updates the time of the client's last activity. When the timer fires, the client
//! either has been silent for the whole limit or gets a new timer for the rest of the limit.

use std::time::Duration;

use crate::{Time, TimerHeap, TimerId};

/// Measures the silence of one client, with one timer at a time instead of one timer per message.
#[derive(Debug)]
pub struct IdleTimer {
    limit: Duration,
    last_activity: Time,
    timer: TimerId,
}

impl IdleTimer {
    /// The default limit on a client's silence.
    pub const LIMIT: Duration = Duration::from_mins(1);

    /// Starts measuring a client's silence. The heap returns `payload` when the timer fires.
    pub fn start<T>(
        limit: Duration,
        now: Time,
        timers: &mut TimerHeap<T>,
        payload: T,
    ) -> IdleTimer {
        IdleTimer { limit, last_activity: now, timer: timers.push(now + limit, payload) }
    }

    /// Records that the client is active at `now`.
    pub fn touch(&mut self, now: Time) {
        self.last_activity = now;
    }

    /// Handles the client's timer when it has fired. Returns true if the client has been silent for
    /// the limit; otherwise sets a new timer with `payload`.
    pub fn has_expired<T>(&mut self, now: Time, timers: &mut TimerHeap<T>, payload: T) -> bool {
        let deadline = self.last_activity + self.limit;
        if deadline <= now {
            return true;
        }
        self.timer = timers.push(deadline, payload);
        false
    }

    /// Cancels the timer of a client that has left.
    pub fn cancel<T>(self, timers: &mut TimerHeap<T>) {
        timers.cancel(self.timer);
    }
}
