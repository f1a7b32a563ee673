//! What a loop does while there's nothing to do.

use std::fs;
use std::io;
use std::time::Duration;

use kit::cost::OfAllThreads;
use kit::proc::Stat;
use scene::{Transcript, say};

use crate::waiting::yield_now;

/// The most processor time that all threads together may use while nothing is to be done.
const MOST_TIME: Duration = Duration::from_millis(10);
/// How often they may go to sleep, and be woken again.
const MOST_SLEEPS: i64 = 5;
/// How often we look whether the other threads sleep. One that never does has to be measured, too.
const MOST_LOOKS: usize = 10_000;

/// Runs `f`, in which the loop has nothing to do for 300 ms, and says whether it slept. `f` itself
/// sleeps as often as `own` says.
pub(crate) fn say_idle(t: Transcript, own: i64, f: impl FnOnce()) -> anyhow::Result<()> {
    let idle = Idle(OfAllThreads::until_now()?);
    f();
    idle.say(t, own)
}

/// What the threads had used when there was nothing more to do.
pub(crate) struct Idle(OfAllThreads);

impl Idle {
    /// Waits until the other threads sleep, by giving up turns: a loop can have threads that still
    /// take note of what there was to do.
    pub(crate) async fn begin() -> io::Result<Idle> {
        for _ in 0..MOST_LOOKS {
            if others_sleep()? {
                break;
            }
            yield_now().await;
        }
        Ok(Idle(OfAllThreads::until_now()?))
    }

    /// Says whether they have slept since then, but for as often as the scene itself did.
    pub(crate) fn say(&self, t: Transcript, own: i64) -> anyhow::Result<()> {
        let OfAllThreads { time, sleeps } = OfAllThreads::until_now()?.since(self.0);
        let sleeps = sleeps - own;
        if time <= MOST_TIME && sleeps <= MOST_SLEEPS {
            say!(t, "it sleeps");
        } else {
            let milliseconds = time.as_millis();
            say!(t, "it takes {milliseconds} ms of processor time, and wakes up {sleeps} times");
        }
        Ok(())
    }
}

/// Returns true if all threads but the calling one sleep.
fn others_sleep() -> io::Result<bool> {
    let this = fs::read_link("/proc/thread-self")?;
    for thread in fs::read_dir("/proc/self/task")? {
        let thread = thread?;
        let is_this = this.file_name() == Some(&thread.file_name());
        // One that has ended meanwhile has no file any more.
        if !is_this && Stat::of(&thread.path()).is_ok_and(|stat| !stat.is_asleep()) {
            return Ok(false);
        }
    }
    Ok(true)
}
