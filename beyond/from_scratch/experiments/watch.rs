//! Looks over a loop's shoulder: counts the polls and wakes of each task, and checks that a woken
//! task has its turn before others have two.
//!
//! The tasks of a scene are *watched*. A watched task passes its polls on, with a waker that notes
//! each wake before passing it on as well. So a watched task shows everything that a loop does with
//! it, in any design of the loop.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, ThreadId};

/// Notes on the tasks, by name. They're behind a lock, because any thread can wake a task.
static NOTES: Mutex<Notes> =
    Mutex::new(Notes { tasks: BTreeMap::new(), complaints: Vec::new(), has_threads: false });

#[derive(Debug)]
struct Notes {
    tasks: BTreeMap<&'static str, Task>,
    complaints: Vec<String>,
    /// True if other threads wake the tasks. Such a wake is noted here a moment before the loop
    /// hears of it, and a poll can come in between: then the next poll seems to come for nothing.
    has_threads: bool,
}

#[derive(Debug, Default)]
struct Task {
    polls: usize,
    wakes: usize,
    /// True if the task was woken since its last poll began.
    is_woken: bool,
    /// The number of wakes that have begun and not returned. A thread may have to wait for a
    /// processor in the middle of a wake, and then the loop may not know about the task yet, even
    /// if another thread wakes the task as well.
    in_flight: usize,
    /// True if the loop's own thread has woken the task. The loop may learn of other wakes a turn
    /// later.
    is_told: bool,
    /// The thread that polls the task.
    thread: Option<ThreadId>,
    has_ended: bool,
    /// The tasks that were polled since the loop's own thread woke this task.
    polled_since: BTreeSet<&'static str>,
}

fn notes() -> MutexGuard<'static, Notes> {
    NOTES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins to note the events of a program.
pub(crate) fn begin() {
    *notes() = Notes { tasks: BTreeMap::new(), complaints: Vec::new(), has_threads: false };
}

/// Begins to note the events of a program in which other threads wake the tasks: threads of the
/// program, or a loop's own threads for sleeps and descriptors.
pub(crate) fn begin_with_threads() {
    begin();
    notes().has_threads = true;
}

/// Returns the broken promises about polls, a sentence each.
pub(crate) fn complaints() -> Vec<String> {
    std::mem::take(&mut notes().complaints)
}

/// Returns the number of times that a task was polled.
pub(crate) fn polls(name: &str) -> usize {
    notes().tasks.get(name).map_or(0, |task| task.polls)
}

/// Returns the number of times that a task was woken. Two wakes can lead to one poll.
pub(crate) fn wakes(name: &str) -> usize {
    notes().tasks.get(name).map_or(0, |task| task.wakes)
}

/// Forgets a task that has ended, so that another task can have its name.
pub(crate) fn forget(name: &str) {
    notes().tasks.remove(name);
}

impl Notes {
    fn complain(&mut self, complaint: String) {
        // One complaint is as good as a thousand.
        if !self.complaints.contains(&complaint) {
            self.complaints.push(complaint);
        }
    }

    /// Notes that a poll begins. Returns false if the task mustn't be polled any more.
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

    /// Notes that a wake of a task is about to begin.
    fn wake(&mut self, name: &'static str) {
        let task = self.tasks.entry(name).or_default();
        task.wakes += 1;
        task.in_flight += 1;
        task.is_woken = true;
    }

    /// Notes that a wake has returned. The poll for it may already have come.
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
