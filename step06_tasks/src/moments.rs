//! What a recording is told of a queue: what's ready, which task is polled, and what the others wait for.
//!
//! The book's pages step through recordings of scenes. `scene::moments` collects them, and this file
//! answers its questions. Nothing here changes what a queue does, and without a recording nothing here
//! runs: it isn't part of what the step teaches.

use std::rc::{Rc, Weak};

use scene::moments;

use crate::any_task::{Step, WaitKind};
use crate::observer::Ran;
use crate::ready_queue::{QueueBody, Runnable, Wakes};
use crate::{AnyTask, LocalWaker, ReadyQueue, current_task};

/// Between the entries of a list.
const NEXT: &str = "\u{1f}";
/// Between the parts of an entry.
const PART: &str = "\u{1e}";

/// Has a recording, if there's one, look at a new queue in each of its moments.
pub(crate) fn watch(queue: &ReadyQueue) {
    if moments::are_noted() {
        queue.shared.observation.is_wanted.set(true);
        let shared = Rc::downgrade(&queue.shared);
        moments::add_sampler(move || shared.upgrade().map_or_else(Vec::new, |it| sample(&it)));
    }
}

/// Returns how a recording calls the task whose step is to be queued, if there's a recording.
#[inline]
pub(crate) fn task_in(runnable: &Runnable) -> Option<String> {
    match runnable {
        Runnable::Step(task) if moments::are_noted() => {
            Some(in_recordings(&AnyTask::new(Rc::clone(task))))
        }
        _ => None,
    }
}

/// Notes that a task's step is in the queue now.
#[inline]
pub(crate) fn joins_the_queue(task: Option<String>) {
    if let Some(task) = task {
        moments::note("queue", &task, &[]);
    }
}

/// Notes that something begins to run.
pub(crate) fn begins(ran: &Ran) {
    if moments::are_noted() {
        let (kind, what) = described(ran);
        moments::note(kind, &what, &[]);
    }
}

/// Notes that it's over.
pub(crate) fn has_run(ran: &Ran) {
    if moments::are_noted() {
        let outcome = match ran {
            Ran::Step(task) if task.cancelled() => "is cancelled",
            Ran::Step(task) if task.done() => "is done",
            Ran::Step(_) => "waits",
            _ => "returns",
        };
        moments::note("end", &described(ran).1, &[("outcome", outcome.to_owned())]);
    }
}

fn described(ran: &Ran) -> (&'static str, String) {
    match ran {
        Ran::Callback(at) => ("run", format!("callback{PART}{}:{}", at.file(), at.line())),
        Ran::Step(task) => ("poll", in_recordings(task)),
        Ran::Wake => ("wake", "wake".to_owned()),
    }
}

/// Returns how a recording calls a task: its name, and where it was created.
fn in_recordings(task: &AnyTask) -> String {
    let at = task.created_at();
    format!("task {}{PART}{}:{}", task.name(), at.file(), at.line())
}

fn sample(queue: &QueueBody) -> Vec<(&'static str, String)> {
    // A moment can come while the queue changes something. The next one shows it.
    let Ok(ready) = queue.ready.try_borrow() else { return vec![] };
    let mut entries: Vec<String> = ready.iter().map(entry).collect();
    entries.extend((!queue.inbox.is_empty()).then(|| format!("inbox{PART}{}", queue.inbox.len())));
    let mut fields = vec![("ready", entries.join(NEXT))];
    let current = current_task();
    fields.extend(current.as_ref().map(|task| ("polled", in_recordings(task))));
    let Ok(tasks) = queue.tasks.try_borrow() else { return fields };
    let mut tasks = tasks.all();
    tasks.sort_by_key(|task| task.label().number);
    let waits = tasks.iter().filter_map(|task| waiting(queue, task, current.as_ref()));
    fields.push(("waits", waits.collect::<Vec<_>>().join(NEXT)));
    fields
}

fn entry(runnable: &Runnable) -> String {
    match runnable {
        Runnable::Callback(handle) => {
            let at = handle.created_at();
            let cancelled = if handle.cancelled() { "cancelled " } else { "" };
            format!("{cancelled}callback{PART}{}:{}", at.file(), at.line())
        }
        Runnable::Step(task) => in_recordings(&AnyTask::new(Rc::clone(task))),
        Runnable::Wake(waker) => {
            format!("wake{PART}{}", waker.task().as_ref().map(in_recordings).unwrap_or_default())
        }
    }
}

/// Says what a task waits for, if it's waiting.
fn waiting(queue: &QueueBody, task: &Rc<dyn Step>, current: Option<&AnyTask>) -> Option<String> {
    let any = AnyTask::new(Rc::clone(task));
    let kind = task.wait_kind().filter(|_| current != Some(&any))?;
    let waits_for = match kind {
        WaitKind::Leaf => "leaf".to_owned(),
        WaitKind::Future => "future".to_owned(),
        WaitKind::Task(id) => {
            let tasks = queue.tasks.try_borrow().ok()?;
            tasks.get(id).map(|it| in_recordings(&AnyTask::new(Rc::clone(it)))).unwrap_or_default()
        }
    };
    Some(format!("{}{PART}{PART}{waits_for}", in_recordings(&any)))
}

impl LocalWaker {
    /// Returns the task that it wakes, if it wakes one of this thread that still exists.
    pub fn task(&self) -> Option<AnyTask> {
        match &self.wakes {
            Wakes::Task(task) => Weak::upgrade(task).map(AnyTask::new),
            Wakes::Other(_) => None,
        }
    }
}
