//! The clock of a loop that runs in Python. The loop also sleeps here, without the GIL.

use std::cell::OnceCell;
use std::rc::{Rc, Weak};
use std::time::Duration;

use pyo3::prelude::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::time::{ClockId, clock_gettime};
use step07_full_loop::{Clock, Time};

use crate::shared::Shared;
use crate::watchdog;

/// Python's `time.monotonic()`. A clone is the same clock.
///
/// Before each wait, a tick asks its clock how long it may sleep. A virtual clock moves itself
/// forward then. This clock sleeps, on the loop's own descriptor, and answers that the tick should
/// only look. Nothing of the loop is borrowed during the question, so other threads can run Python
/// code meanwhile, even code that uses the loop.
#[derive(Clone, Default)]
pub(crate) struct PythonClock {
    shared: Rc<OnceCell<Weak<Shared>>>,
}

impl PythonClock {
    /// Lets a loop sleep on this clock, which was made before the loop.
    pub(crate) fn sleeps_for(&self, shared: &Rc<Shared>) {
        self.shared.get_or_init(|| Rc::downgrade(shared));
    }
}

impl Clock for PythonClock {
    fn now(&self) -> Time {
        let now = clock_gettime(ClockId::Monotonic);
        let (seconds, nanos) = (now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs());
        Time::from_nanos(seconds * 1_000_000_000 + nanos)
    }

    fn sleep_for(&self, wanted: Option<Duration>) -> Option<Duration> {
        let Some(shared) = self.shared.get().and_then(Weak::upgrade) else { return wanted };
        Python::attach(|py| {
            let found = sleep(py, &shared, wanted);
            // A signal may have ended the sleep, and Python's handler runs now. Its exception
            // leaves the run.
            if let Err(error) = py.check_signals() {
                shared.leave(error);
                return Some(Duration::ZERO);
            }
            // Not zero if there's an event: a tick that mustn't sleep can skip its look at the
            // kernel and would leave a byte in the pipe that came only from a signal.
            Some(if found { Duration::from_nanos(1) } else { Duration::ZERO })
        })
    }
}

/// Sleeps without the GIL until an event arrives or the time is over. Returns true if an event has
/// arrived. Even without a sleep, other threads get their turn here: a busy loop would keep the GIL
/// from them for 5 ms at a time.
fn sleep(py: Python<'_>, shared: &Shared, wanted: Option<Duration>) -> bool {
    watchdog::turn();
    if wanted == Some(Duration::ZERO) {
        py.detach(|| ());
        return false;
    }
    // A time that doesn't fit stands for forever.
    let timeout = wanted.and_then(|wanted| Timespec::try_from(wanted).ok());
    let mut descriptors = [PollFd::new(&shared.event_loop, PollFlags::IN)];
    // A signal ends the sleep early, and so does any other error: the tick looks and comes back.
    shared.expect_the_next();
    let polled = watchdog::sleep(|| py.detach(|| poll(&mut descriptors, timeout.as_ref())));
    polled.is_ok_and(|count| count > 0)
}
