//! Idle timeouts: a client that has been silent for too long is disconnected.
//!
//! Each client has a single timer. Moving the timer for each message would cost a heap operation,
//! so a message only updates the recorded time. When the timer fires, a client that has been silent
//! for the whole limit is disconnected; any other client gets a new timer for the rest of its
//! limit.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use step04_timers::Time;
use step06_tasks::{AnyTask, Result, current_task};

use crate::{EventLoop, TimerHandle, get_running_loop};

/// The time for which a client can be silent before the server disconnects it.
const IDLE_LIMIT: Duration = Duration::from_mins(1);

/// The time when a client connected or last sent bytes, and the timer that checks that time. The
/// client's task owns both, so the end of the task cancels the timer.
pub(crate) struct LastActivity {
    watched: Rc<Watched>,
}

struct Watched {
    client: AnyTask,
    event_loop: EventLoop,
    at: Cell<Time>,
    timer: Cell<Option<TimerHandle>>,
}

impl LastActivity {
    /// Watches the running task: cancels the task when its client has been silent for too long.
    pub(crate) fn of_this_task() -> Result<Self> {
        let event_loop = get_running_loop()?;
        let client = current_task().expect("a task serves the client");
        let at = Cell::new(event_loop.time());
        let watched = Rc::new(Watched { client, event_loop, at, timer: Cell::default() });
        Rc::clone(&watched).set_timer();
        Ok(LastActivity { watched })
    }

    /// Notes that the client has sent bytes.
    pub(crate) fn note(&self) {
        self.watched.note();
    }
}

impl Drop for LastActivity {
    fn drop(&mut self) {
        self.watched.timer.take().iter().for_each(TimerHandle::cancel);
    }
}

impl Watched {
    fn note(&self) {
        self.at.set(self.event_loop.time());
    }

    fn set_timer(self: Rc<Self>) {
        let limit = self.at.get() + IDLE_LIMIT;
        let watched = Rc::clone(&self);
        let timer = self.event_loop.call_at(limit, move || watched.check_idle());
        self.timer.set(Some(timer));
    }

    fn check_idle(self: Rc<Self>) {
        if self.at.get() + IDLE_LIMIT <= self.event_loop.time() {
            self.client.cancel();
            // The task answers the rest first but not forever: in a minute it's cancelled again.
            self.note();
        }
        self.set_timer();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{VirtualClock, create_task, sleep};

    #[test]
    fn a_client_is_disconnected_a_minute_after_its_last_activity() {
        let event_loop = EventLoop::with_clock(VirtualClock::new()).expect("a loop");
        let ended_at = event_loop.run(async {
            let client = create_task(async {
                let last_activity = LastActivity::of_this_task()?;
                for _ in 0..5 {
                    sleep(Duration::from_secs(50)).await?;
                    last_activity.note();
                }
                sleep(Duration::from_hours(1)).await
            })?;
            assert!(client.await.is_err_and(|error| error.is_cancelled()));
            Ok(get_running_loop()?.time())
        });
        let ended_at = ended_at.expect("no error");
        assert_eq!(ended_at - Time::ZERO, Duration::from_secs(5 * 50 + 60));
    }

    #[test]
    fn a_client_that_cleans_up_for_too_long_is_cancelled_again() {
        let event_loop = EventLoop::with_clock(VirtualClock::new()).expect("a loop");
        let ended_at = event_loop.run(async {
            let client = create_task(async {
                let _last_activity = LastActivity::of_this_task()?;
                let hour = Duration::from_hours(1);
                sleep(hour).await.or(sleep(hour).await)
            })?;
            assert!(client.await.is_err_and(|error| error.is_cancelled()));
            Ok(get_running_loop()?.time())
        });
        assert_eq!(ended_at.expect("no error") - Time::ZERO, 2 * IDLE_LIMIT);
    }

    #[test]
    fn a_client_that_leaves_takes_its_timer_along() {
        let event_loop = EventLoop::with_clock(VirtualClock::new()).expect("a loop");
        let timeout = event_loop.run(async {
            let client = create_task(async {
                let _last_activity = LastActivity::of_this_task()?;
                sleep(Duration::from_secs(1)).await
            })?;
            client.await?;
            Ok(get_running_loop()?.select_timeout())
        });
        assert_eq!(timeout.expect("no error"), None);
    }
}
