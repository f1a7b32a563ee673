//! The clock for a loop that runs in Python. When the loop has to sleep, this clock sleeps for it,
//! without the GIL.

use std::cell::OnceCell;
use std::rc::{Rc, Weak};
use std::time::Duration;

use pyo3::prelude::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::time::{ClockId, clock_gettime};
use step07_full_loop::{Clock, Time};

use crate::shared::Shared;
use crate::watchdog;

/// Python's `time.monotonic()`. Clones share the same clock.
///
/// Before each wait, a tick asks its clock how long to sleep. A virtual clock takes this
/// opportunity to move forward. This clock sleeps on the loop's descriptor and then tells the tick
/// to check for events without waiting. None of the loop's state is borrowed in the meantime, so
/// other threads can run Python code, even code that uses the loop.
#[derive(Clone, Default)]
pub(crate) struct PythonClock {
    shared: Rc<OnceCell<Weak<Shared>>>,
}

impl PythonClock {
    /// Connects this clock to the loop for which it sleeps. The clock has to be made before the
    /// loop.
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
            // A signal may have ended the sleep; if so, Python's handler runs now. If the handler
            // raises an exception, the loop's run raises it.
            if let Err(error) = py.check_signals() {
                shared.leave(error);
                return Some(Duration::ZERO);
            }
            // Don't return zero if there's an event: a tick that mustn't sleep can skip its check
            // with the kernel, and then a byte that another thread has written would stay unread.
            Some(if found { Duration::from_nanos(1) } else { Duration::ZERO })
        })
    }
}

/// Sleeps without the GIL until an event arrives or the time is over. Returns true if an event has
/// arrived. Even if there's no time to sleep, other threads get a turn here: otherwise a busy loop
/// would keep the GIL from them for 5 ms at a stretch.
fn sleep(py: Python<'_>, shared: &Shared, wanted: Option<Duration>) -> bool {
    watchdog::turn();
    if wanted == Some(Duration::ZERO) {
        py.detach(|| ());
        return false;
    }
    // If the time is too long for a `Timespec`, sleep without a limit.
    let timeout = wanted.and_then(|wanted| Timespec::try_from(wanted).ok());
    let mut descriptors = [PollFd::new(&shared.event_loop, PollFlags::IN)];
    // A signal ends the sleep early, and so does any error: the tick then goes on without another
    // sleep.
    shared.expect_the_next();
    let polled = watchdog::sleep(|| py.detach(|| poll(&mut descriptors, timeout.as_ref())));
    polled.is_ok_and(|count| count > 0)
}
