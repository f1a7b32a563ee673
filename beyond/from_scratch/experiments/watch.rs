//! Watches a loop at work: counts each task's polls and wakes, and checks that a woken task has its
//! turn before any other task has two.
//!
//! The tasks in a scene are *watched*. A watched task passes its polls on, with a waker that
//! records each wake before it passes the wake on. So a watched task shows everything that a loop
//! does with it, no matter how the loop is designed.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, ThreadId};

/// Records about the tasks, by name. They're behind a lock, because any thread can wake a task.
static NOTES: Mutex<Notes> =
    Mutex::new(Notes { tasks: BTreeMap::new(), complaints: Vec::new(), has_threads: false });

#[derive(Debug)]
struct Notes {
    tasks: BTreeMap<&'static str, Task>,
    complaints: Vec<String>,
    /// True if other threads wake the tasks. Such a wake is recorded here a moment before the loop
    /// learns of it, and a poll may come in between; if so, the next poll seems to have no reason.
    has_threads: bool,
}

#[derive(Debug, Default)]
struct Task {
    polls: usize,
    wakes: usize,
    /// True if the task has been woken since its last poll began.
    is_woken: bool,
    /// The number of wakes that have begun but not returned. A thread may have to wait for a
    /// processor in the middle of a wake, in which case the loop may not know about the task yet,
    /// even if another thread wakes the task as well.
    in_flight: usize,
    /// True if the loop's own thread has woken the task. The loop may learn of other wakes only a
    /// turn later.
    is_told: bool,
    /// The thread that polls the task.
    thread: Option<ThreadId>,
    has_ended: bool,
    /// The tasks that have been polled since the loop's own thread woke this task.
    polled_since: BTreeSet<&'static str>,
}

fn notes() -> MutexGuard<'static, Notes> {
    NOTES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins to record what happens in a program.
pub(crate) fn begin() {
    *notes() = Notes { tasks: BTreeMap::new(), complaints: Vec::new(), has_threads: false };
}

/// Begins to record what happens in a program in which other threads wake the tasks: the program's
/// own threads, or threads that a loop uses for sleeps and descriptors.
pub(crate) fn begin_with_threads() {
    begin();
    notes().has_threads = true;
}

/// Returns a sentence for each promise about polls that the loop has broken.
pub(crate) fn complaints() -> Vec<String> {
    std::mem::take(&mut notes().complaints)
}

/// Returns the number of times that a task was polled.
pub(crate) fn polls(name: &str) -> usize {
    notes().tasks.get(name).map_or(0, |task| task.polls)
}

/// Returns the number of times that a task was woken. Two wakes may lead to a single poll.
pub(crate) fn wakes(name: &str) -> usize {
    notes().tasks.get(name).map_or(0, |task| task.wakes)
}

/// Forgets a task that has ended, so that another task can use its name.
pub(crate) fn forget(name: &str) {
    notes().tasks.remove(name);
}

impl Notes {
    fn complain(&mut self, complaint: String) {
        // Report the same complaint only once.
        if !self.complaints.contains(&complaint) {
            self.complaints.push(complaint);
        }
    }

    /// Records that a poll begins. Returns false if the task mustn't be polled any more.
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
                "{other} was woken, but {name} was polled twice before {other} had its turn"
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

    /// Records that a wake of a task is about to begin.
    fn wake(&mut self, name: &'static str) {
        let task = self.tasks.entry(name).or_default();
        task.wakes += 1;
        task.in_flight += 1;
        task.is_woken = true;
    }

    /// Records that a wake has returned. The resulting poll may already have happened.
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

/// A future whose polls and wakes are recorded under a name.
pub(crate) struct Watched<F> {
    name: &'static str,
    future: Pin<Box<F>>,
}

/// Makes a watched future.
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
