//! What a loop does while there's nothing to do.

use std::time::Duration;

use kit::cost::of_all_threads;
use scene::{Transcript, say};

/// The most processor time that all threads together may use while nothing is to be done.
const MOST_TIME: Duration = Duration::from_millis(10);
/// How often they may go to sleep, and be woken again.
const MOST_SLEEPS: i64 = 5;

/// Runs `f`, in which the loop has nothing to do for 300 ms, and says whether it slept. `f` itself
/// sleeps as often as `own` says.
pub(crate) fn say_idle(t: Transcript, own: i64, f: impl FnOnce()) -> anyhow::Result<()> {
    let ((), time, sleeps) = of_all_threads(f)?;
    let sleeps = sleeps - own;
    if time <= MOST_TIME && sleeps <= MOST_SLEEPS {
        say!(t, "it sleeps");
    } else {
        let milliseconds = time.as_millis();
        say!(t, "it takes {milliseconds} ms of processor time, and wakes up {sleeps} times");
    }
    Ok(())
}
