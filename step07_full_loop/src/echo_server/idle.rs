//! Idle timeouts: a client that has been silent for too long is disconnected.
//!
//! Each client has a single timer. If each message moved it, each would cost a heap operation, so a
//! message only updates a note of the time. When the timer fires, the client has been silent for
//! the whole limit, or else it gets a new timer for the rest of the limit.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use step04_timers::Time;
use step06_tasks::Task;

use crate::{EventLoop, TimerHandle};

/// How long a client can be silent before it's disconnected.
const IDLE_LIMIT: Duration = Duration::from_mins(1);

/// The time when a client last sent something, and the timer that checks it.
pub(crate) struct LastActivity {
    event_loop: EventLoop,
    at: Cell<Time>,
    timer: RefCell<Option<TimerHandle>>,
}

impl LastActivity {
    pub(crate) fn now(event_loop: &EventLoop) -> Rc<Self> {
        let at = Cell::new(event_loop.time());
        Rc::new(LastActivity { event_loop: event_loop.clone(), at, timer: RefCell::default() })
    }

    /// Notes that the client has sent something.
    pub(crate) fn note(&self) {
        self.at.set(self.event_loop.time());
    }

    /// Cancels the client's task when it has been silent for too long. The timer is cancelled when
    /// the task ends.
    pub(crate) fn watch(self: Rc<Self>, client: Task<()>) {
        let watched = Rc::clone(&self);
        client
            .add_done_callback(move |_| watched.timer.take().iter().for_each(TimerHandle::cancel));
        self.set_timer(client);
    }

    fn set_timer(self: Rc<Self>, client: Task<()>) {
        let limit = self.at.get() + IDLE_LIMIT;
        let watched = Rc::clone(&self);
        let timer = self.event_loop.call_at(limit, move || watched.check_idle(client));
        self.timer.replace(Some(timer));
    }

    fn check_idle(self: Rc<Self>, client: Task<()>) {
        if self.at.get() + IDLE_LIMIT <= self.event_loop.time() {
            client.cancel();
            // It answers the rest first but not forever: in a minute it's cancelled again.
            self.note();
        }
        self.set_timer(client);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{VirtualClock, create_task, get_running_loop, sleep};

    #[test]
    fn a_client_is_disconnected_a_minute_after_its_last_activity() {
        let event_loop = EventLoop::with_clock(VirtualClock::new()).expect("a loop");
        let ended_at = event_loop.run(async {
            let event_loop = get_running_loop()?;
            let client = create_task(sleep(Duration::from_hours(1)))?;
            let last_activity = LastActivity::now(&event_loop);
            Rc::clone(&last_activity).watch(client.clone());
            for _ in 0..5 {
                sleep(Duration::from_secs(50)).await?;
                last_activity.note();
            }
            assert!(client.await.is_err_and(|error| error.is_cancelled()));
            Ok(event_loop.time())
        });
        let ended_at = ended_at.expect("no error");
        assert_eq!(ended_at - Time::ZERO, Duration::from_secs(5 * 50 + 60));
    }

    #[test]
    fn a_client_that_cleans_up_for_too_long_is_cancelled_again() {
        let event_loop = EventLoop::with_clock(VirtualClock::new()).expect("a loop");
        let ended_at = event_loop.run(async {
            let event_loop = get_running_loop()?;
            let client = create_task(async {
                let hour = Duration::from_hours(1);
                sleep(hour).await.or(sleep(hour).await)
            })?;
            LastActivity::now(&event_loop).watch(client.clone());
            assert!(client.await.is_err_and(|error| error.is_cancelled()));
            Ok(event_loop.time())
        });
        assert_eq!(ended_at.expect("no error") - Time::ZERO, 2 * IDLE_LIMIT);
    }

    #[test]
    fn a_client_that_leaves_takes_its_timer_along() {
        let event_loop = EventLoop::with_clock(VirtualClock::new()).expect("a loop");
        let timeout = event_loop.run(async {
            let event_loop = get_running_loop()?;
            let client = create_task(sleep(Duration::from_secs(1)))?;
            LastActivity::now(&event_loop).watch(client.clone());
            client.await?;
            // The callback on the client's end was scheduled before this callback.
            Ok(event_loop.select_timeout())
        });
        assert_eq!(timeout.expect("no error"), None);
    }
}
