//! The behaviour of a loop while there's nothing to do.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use kit::cost::OfAllThreads;
use kit::proc::Stat;
use scene::{Transcript, say};

use crate::waiting::yield_now;

/// The most processor time that all threads together may use while there's nothing to do.
const MOST_TIME: Duration = Duration::from_millis(10);
/// The number of times that they may go to sleep and be woken again.
const MOST_SLEEPS: i64 = 5;
/// The time for which the other threads have to be at rest before we measure.
const REST: Duration = Duration::from_millis(10);
/// The number of looks for such a rest. A loop that never rests has to be measured, too.
const MOST_LOOKS: usize = 100;

/// The time and the sleeps of the threads when there was nothing more to do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Idle(OfAllThreads);

impl Idle {
    /// Waits until the other threads are at rest, by giving up turns: a loop can have threads that
    /// still start, or that still handle earlier events.
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

    /// Returns the time and the sleeps of all threads since then.
    pub(crate) fn used(self) -> io::Result<OfAllThreads> {
        Ok(OfAllThreads::until_now()?.since(self.0))
    }

    /// Says whether they have slept since then, after words for the events meanwhile.
    pub(crate) fn say(self, t: Transcript, meanwhile: &str) -> anyhow::Result<()> {
        say_used(t, meanwhile, self.used()?, 0);
        Ok(())
    }
}

/// Says whether threads with this time and these sleeps have slept, apart from the scene's own
/// sleeps.
pub(crate) fn say_used(t: Transcript, meanwhile: &str, used: OfAllThreads, own: i64) {
    let OfAllThreads { time, sleeps } = used;
    let sleeps = sleeps - own;
    if time <= MOST_TIME && sleeps <= MOST_SLEEPS {
        say!(t, "{meanwhile}: it sleeps");
    } else {
        let milliseconds = time.as_millis();
        say!(
            t,
            "{meanwhile}: it takes {milliseconds} ms of processor time and wakes up {sleeps} times"
        );
    }
}

/// Returns true if all threads but the calling one sleep.
fn others_sleep() -> io::Result<bool> {
    let this = fs::read_link("/proc/thread-self")?;
    for thread in fs::read_dir("/proc/self/task")? {
        let thread = thread?;
        let is_this = this.file_name() == Some(&thread.file_name());
        // A thread that has ended meanwhile has no file any more.
        if !is_this && Stat::of(&thread.path()).is_ok_and(|stat| !stat.is_asleep()) {
            return Ok(false);
        }
    }
    Ok(true)
}
