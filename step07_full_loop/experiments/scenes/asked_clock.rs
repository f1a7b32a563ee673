//! A clock that shows how long a tick could sleep.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use step07_full_loop::{Clock, EventLoop, Time, VirtualClock, get_running_loop};

/// A clock that notes how long a tick could sleep, keeps the tick from sleeping, and stops the
/// loop, so that a run is a single tick. Its time is the virtual clock's.
#[derive(Clone, Default)]
pub(crate) struct AskedClock(pub(crate) VirtualClock, Rc<Cell<Option<Duration>>>);

impl Clock for AskedClock {
    fn now(&self) -> Time {
        self.0.now()
    }

    fn sleep_for(&self, could_sleep: Option<Duration>) -> Option<Duration> {
        self.1.set(could_sleep);
        if let Ok(event_loop) = get_running_loop() {
            event_loop.stop();
        }
        Some(Duration::ZERO)
    }
}

impl AskedClock {
    /// Runs one tick and returns how long it could have slept.
    pub(crate) fn could_sleep(&self, event_loop: &EventLoop) -> anyhow::Result<Option<Duration>> {
        event_loop.run_forever()?;
        Ok(self.1.get())
    }
}
