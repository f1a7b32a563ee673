//! Looks on while a scene is recorded and tells of its queues: what runs, what's ready, and what
//! the tasks wait for.
//!
//! The book's pages step through recordings, which are made of moments (`scene::moments`). Nothing
//! in the layer is there for them: what an onlooker hears and asks, any program can hear and ask.

use std::rc::Rc;

use scene::moments;
use step06_tasks::{AnyTask, Observer, Ran, ReadyQueue, WaitsFor, observe_new_queues};

/// The separator of the entries of a list.
pub(super) const NEXT: &str = "\u{1f}";
/// The separator of the parts of an entry.
pub(super) const PART: &str = "\u{1e}";

/// Looks on at each queue that the scene makes from now on.
pub(crate) fn look_on() {
    observe_new_queues(|queue| {
        let queue = queue.downgrade();
        moments::add_sampler(move || queue.upgrade().as_ref().map_or_else(Vec::new, state));
        Rc::new(Onlooker)
    });
}

struct Onlooker;

impl Observer for Onlooker {
    fn begins(&self, ran: &Ran) {
        let kind = match ran {
            Ran::Callback(_) => "run",
            Ran::Step(_) => "poll",
            _ => "wake",
        };
        moments::note(kind, &described(ran), &[]);
    }

    fn has_run(&self, ran: &Ran) {
        let outcome = match ran {
            Ran::Step(task) if task.cancelled() => "is cancelled",
            Ran::Step(task) if task.done() => "is done",
            Ran::Step(_) => "waits",
            _ => "returns",
        };
        moments::note("end", &described(ran), &[("outcome", outcome.to_owned())]);
    }
}

fn state(queue: &ReadyQueue) -> Vec<(&'static str, String)> {
    let mut ready: Vec<String> = queue.ready().iter().map(described).collect();
    ready.extend((queue.batches_left() > 0).then(|| "inbox".to_owned()));
    let tasks = queue.all_tasks();
    let waits: Vec<String> = tasks.iter().filter_map(wait).collect();
    vec![("ready", ready.join(NEXT)), ("waits", waits.join(NEXT))]
}

/// Says what a task waits for, if it's waiting.
fn wait(task: &AnyTask) -> Option<String> {
    let waits_for = match task.waits_for()? {
        WaitsFor::Task(inner) => named(&inner),
        WaitsFor::Future => "future".to_owned(),
        _ => "leaf".to_owned(),
    };
    Some(format!("{}{PART}{PART}{waits_for}", named(task)))
}

/// Describes what runs: a callback by where it was made, and a task also by its name, since two
/// tasks can have the same name.
pub(super) fn described(ran: &Ran) -> String {
    match ran {
        Ran::Callback(at) => format!("callback{PART}{}:{}", at.file(), at.line()),
        Ran::Step(task) => named(task),
        _ => "wake".to_owned(),
    }
}

fn named(task: &AnyTask) -> String {
    let at = task.created_at();
    format!("task {}{PART}{}:{}", task.name(), at.file(), at.line())
}
