//! Measures what a loop does while there's nothing to do.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use kit::cost::OfAllThreads;
use kit::proc::Stat;
use scene::{Transcript, say};

use crate::waiting::yield_now;

/// The maximum processor time that all threads together may use while there's nothing to do.
const MOST_TIME: Duration = Duration::from_millis(10);
/// The maximum number of times that the threads may go to sleep and be woken again.
const MOST_SLEEPS: i64 = 5;
/// The time for which the other threads have to be at rest before we begin to measure.
const REST: Duration = Duration::from_millis(10);
/// The maximum number of checks for such a rest. A loop that never rests has to be measured too.
const MOST_LOOKS: usize = 100;

/// The threads' processor time and number of sleeps at the moment when nothing was left to do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Idle(OfAllThreads);

impl Idle {
    /// Yields until the other threads are at rest, because a loop may have threads that are still
    /// starting or still handling earlier events.
    pub(crate) async fn begin() -> io::Result<Idle> {
        for _ in 0..MOST_LOOKS {
            let (began, before) = (Instant::now(), OfAllThreads::until_now()?);
            while began.elapsed() < REST {
                yield_now().await;
            }
            if OfAllThreads::until_now()?.sleeps == before.sleeps && others_sleep()? {
                break;
            }
        }
        Ok(Idle(OfAllThreads::until_now()?))
    }

    /// Returns the processor time and the sleeps of all threads since that moment.
    pub(crate) fn used(self) -> io::Result<OfAllThreads> {
        Ok(OfAllThreads::until_now()?.since(self.0))
    }

    /// Reports whether the threads have slept since that moment. `meanwhile` describes what
    /// happened in the meantime.
    pub(crate) fn say(self, t: Transcript, meanwhile: &str) -> anyhow::Result<()> {
        say_used(t, meanwhile, self.used()?, 0);
        Ok(())
    }
}

/// Reports whether threads that used this time and went to sleep this often were idle. `own` is the
/// number of sleeps that the scene itself has caused, which don't count.
pub(crate) fn say_used(t: Transcript, meanwhile: &str, used: OfAllThreads, own: i64) {
    let OfAllThreads { time, sleeps } = used;
    let sleeps = sleeps - own;
    if time <= MOST_TIME && sleeps <= MOST_SLEEPS {
        say!(t, "{meanwhile}: the loop sleeps");
    } else {
        let milliseconds = time.as_millis();
        say!(
            t,
            "{meanwhile}: the loop uses {milliseconds} ms of processor time and wakes up {sleeps} times"
        );
    }
}

/// Returns true if all threads except the calling thread are asleep.
fn others_sleep() -> io::Result<bool> {
    let this = fs::read_link("/proc/thread-self")?;
    for thread in fs::read_dir("/proc/self/task")? {
        let thread = thread?;
        let is_this = this.file_name() == Some(&thread.file_name());
        // A thread that has ended in the meantime no longer has a file.
        if !is_this && Stat::of(&thread.path()).is_ok_and(|stat| !stat.is_asleep()) {
            return Ok(false);
        }
    }
    Ok(true)
}
