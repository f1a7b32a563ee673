//! Looks over a loop's shoulder: how often each task is polled and woken, and whether one that was
//! woken has its turn before others have two.
//!
//! The tasks of a scene are *watched*. A watched task passes its polls on, with a waker that notes
//! each wake before it passes that on as well. So everything a loop does with a task is seen here,
//! however it's made.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, ThreadId};

/// What's known of the tasks, by their names. It's behind a lock, because any thread can wake.
static NOTES: Mutex<Notes> =
    Mutex::new(Notes { tasks: BTreeMap::new(), complaints: Vec::new(), has_threads: false });

#[derive(Debug)]
struct Notes {
    tasks: BTreeMap<&'static str, Task>,
    complaints: Vec<String>,
    /// Whether other threads wake the tasks. Such a wake is noted here a moment before the loop
    /// hears of it, and a poll can come in between: then the next one seems to come for nothing.
    has_threads: bool,
}

#[derive(Debug, Default)]
struct Task {
    polls: usize,
    wakes: usize,
    /// Woken since its last poll began.
    is_woken: bool,
    /// How many wakes have begun and not returned. A thread can have to wait for a processor in the
    /// midst of one, and then the loop may know nothing of the task yet, even if somebody else
    /// wakes it as well.
    in_flight: usize,
    /// The loop has been told of a wake by its own thread. It may learn of others a turn later.
    is_told: bool,
    /// The thread that polls it.
    thread: Option<ThreadId>,
    has_ended: bool,
    /// Which tasks were polled since the loop was told.
    polled_since: BTreeSet<&'static str>,
}

fn notes() -> MutexGuard<'static, Notes> {
    NOTES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins to note a program.
pub(crate) fn begin() {
    *notes() = Notes { tasks: BTreeMap::new(), complaints: Vec::new(), has_threads: false };
}

/// Begins to note a program in which other threads wake the tasks: those of the program, or a
/// loop's own for sleeps and descriptors.
pub(crate) fn begin_with_threads() {
    begin();
    notes().has_threads = true;
}

/// Returns which promises about polls were broken, a sentence each.
pub(crate) fn complaints() -> Vec<String> {
    std::mem::take(&mut notes().complaints)
}

/// Returns how often a task was polled.
pub(crate) fn polls(name: &str) -> usize {
    notes().tasks.get(name).map_or(0, |task| task.polls)
}

/// Returns how often a task was woken. Two wakes can lead to one poll.
pub(crate) fn wakes(name: &str) -> usize {
    notes().tasks.get(name).map_or(0, |task| task.wakes)
}

/// Forgets a task that has ended, so that another one can have its name.
pub(crate) fn forget(name: &str) {
    notes().tasks.remove(name);
}

impl Notes {
    fn complain(&mut self, complaint: String) {
        // One is as good as a thousand.
        if !self.complaints.contains(&complaint) {
            self.complaints.push(complaint);
        }
    }

    /// Notes that a poll begins. Returns false if there mustn't be another one.
    fn poll(&mut self, name: &'static str) -> bool {
        let mut overtaken = Vec::new();
        for (other, task) in &mut self.tasks {
            let waits = *other != name && task.is_told && !task.has_ended;
            if waits && !task.polled_since.insert(name) {
                overtaken.push(*other);
            }
        }
        for other in overtaken {
            self.complain(format!(
                "{other} was woken, and {name} was polled twice before {other} had its turn"
            ));
        }
        let has_threads = self.has_threads;
        let task = self.tasks.entry(name).or_default();
        if task.has_ended {
            self.complain(format!("{name} was polled after its end"));
            return false;
        }
        task.polls += 1;
        let is_first = task.polls == 1;
        let may_be = has_threads && task.polls <= task.wakes + 1;
        let is_woken = std::mem::take(&mut task.is_woken);
        task.is_told = false;
        task.thread = Some(thread::current().id());
        task.polled_since.clear();
        if !is_first && !is_woken && !may_be {
            self.complain(format!("{name} was polled without having been woken"));
        }
        true
    }

    /// Notes that somebody is about to wake a task.
    fn wake(&mut self, name: &'static str) {
        let task = self.tasks.entry(name).or_default();
        task.wakes += 1;
        task.in_flight += 1;
        task.is_woken = true;
    }

    /// Notes that a wake has returned. The poll for it can have come already.
    fn told(&mut self, name: &'static str) {
        let task = self.tasks.entry(name).or_default();
        task.in_flight = task.in_flight.saturating_sub(1);
        let is_here = task.thread == Some(thread::current().id());
        if is_here && task.is_woken && task.in_flight == 0 && !task.is_told {
            task.is_told = true;
            task.polled_since.clear();
        }
    }
}

/// A future whose polls and wakes are noted under a name.
pub(crate) struct Watched<F> {
    name: &'static str,
    future: Pin<Box<F>>,
}

/// Watches a future.
pub(crate) fn watched<F: Future>(name: &'static str, future: F) -> Watched<F> {
    notes().tasks.entry(name).or_default();
    Watched { name, future: Box::pin(future) }
}

// ANCHOR: watched
impl<F: Future> Future for Watched<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        if !notes().poll(self.name) {
            return Poll::Pending;
        }
        let noted = Noted { name: self.name, waker: context.waker().clone() };
        let waker = Waker::from(Arc::new(noted));
        let polled = self.future.as_mut().poll(&mut Context::from_waker(&waker));
        if polled.is_ready() {
            notes().tasks.entry(self.name).or_default().has_ended = true;
        }
        polled
    }
}
// ANCHOR_END: watched

// ANCHOR: noted
struct Noted {
    name: &'static str,
    waker: Waker,
}

impl Wake for Noted {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        notes().wake(self.name);
        self.waker.wake_by_ref();
        notes().told(self.name);
    }
}
// ANCHOR_END: noted
