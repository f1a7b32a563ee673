//! What a recording is told of a loop: how long a tick can sleep and why, the timers, and the clock.
//!
//! The book's pages step through recordings of scenes; `scene::moments` collects them. Without a recording,
//! nothing here runs.

use std::rc::Rc;

use scene::moments;
use step04_timers::{Time, TimerId};
use step06_tasks::AnyTask;

use super::{TickTrace, WhyTimeout};
use crate::event_loop::{Core, EventLoop, Timer};

/// Between the entries of a list.
const NEXT: &str = "\u{1f}";
/// Between the parts of an entry.
const PART: &str = "\u{1e}";

/// How often a clock is read to find out whether it stands still.
const LOOKS: usize = 1000;

/// A timer in the heap, which itself shows only the nearest.
pub(crate) struct NotedTimer {
    when: Time,
    id: TimerId,
    what: String,
    is_cancelled: bool,
}

impl EventLoop {
    /// If there's a recording, it's told of this loop from now on.
    pub(crate) fn record_if_asked(&self) {
        if moments::are_noted() {
            self.core.trace.is_on.set(true);
            let core = Rc::downgrade(&self.core);
            let is_virtual = stands_still(&self.core);
            moments::add_sampler(move || {
                core.upgrade().map_or_else(Vec::new, |core| sample(&core, is_virtual))
            });
        }
    }

    /// Adds a timer, and notes it.
    #[cold]
    pub(crate) fn add_noted_timer(&self, when: Time, timer: Timer) -> TimerId {
        let what = described(&timer);
        let id = self.core.timers.borrow_mut().push(when, timer);
        let noted = NotedTimer { when, id, what: what.clone(), is_cancelled: false };
        let mut timers = self.core.trace.timers.borrow_mut();
        timers.push(noted);
        timers.sort_by_key(|timer| timer.when);
        drop(timers);
        moments::note("schedule", &what, &[]);
        id
    }

    /// Notes that a timer is cancelled. Its entry stays in the heap.
    #[cold]
    pub(crate) fn note_cancelled_timer(&self, id: TimerId) {
        let mut timers = self.core.trace.timers.borrow_mut();
        let found = timers.iter_mut().find(|timer| timer.id == id && !timer.is_cancelled);
        let what = found.map(|timer| {
            timer.is_cancelled = true;
            timer.what.clone()
        });
        drop(timers);
        if let Some(what) = what {
            moments::note("cancel", &what, &[]);
        }
    }

    /// Notes that the nearest timer is due.
    pub(super) fn note_due_timer(&self) {
        if moments::are_noted() {
            let mut timers = self.core.trace.timers.borrow_mut();
            let nearest = timers.iter().position(|timer| !timer.is_cancelled);
            let due = nearest.map(|nearest| timers.drain(..=nearest).next_back());
            drop(timers);
            if let Some(due) = due.flatten() {
                moments::note("timer", &due.what, &[]);
            }
        }
    }
}

/// Notes that a tick begins.
pub(super) fn tick_begins(tick: &TickTrace) {
    if moments::are_noted() {
        let timeout = match (tick.timeout, tick.why) {
            (None, _) => "forever".to_owned(),
            // On a real clock, that depends on the run.
            (Some(timeout), WhyTimeout::Timer) => format!("until{PART}{timeout:?}"),
            (Some(timeout), _) => format!("{timeout:?}"),
        };
        let why = match tick.why {
            WhyTimeout::Ready => "something is ready",
            WhyTimeout::Stopping => "the loop should stop",
            WhyTimeout::Timer => "the first timer",
            WhyTimeout::Nothing => "nothing is ready, and there's no timer",
        };
        let more = [("timeout", timeout), ("why", why.to_owned())];
        moments::note("tick", &format!("tick {}", tick.number), &more);
    }
}

fn described(timer: &Timer) -> String {
    match timer {
        Timer::Callback(handle) => {
            let at = handle.created_at();
            format!("callback{PART}{}:{}", at.file(), at.line())
        }
        Timer::Wake(waker) => waker.task().map_or_else(|| "sleep".to_owned(), |task| name(&task)),
    }
}

fn name(task: &AnyTask) -> String {
    let at = task.created_at();
    format!("task {}{PART}{}:{}", task.name(), at.file(), at.line())
}

/// Returns true for a virtual clock. What a real clock shows is different in each run.
fn stands_still(core: &Core) -> bool {
    let now = core.clock.now();
    (0..LOOKS).all(|_| core.clock.now() == now)
}

fn sample(core: &Core, is_virtual: bool) -> Vec<(&'static str, String)> {
    let mut timers = core.trace.timers.borrow_mut();
    // The heap drops cancelled timers when they're at its top. While it does so, it's borrowed.
    let scheduled = core.timers.try_borrow().map(|heap| heap.scheduled());
    while scheduled.as_ref().is_ok_and(|scheduled| timers.len() > *scheduled)
        && let Some(dropped) = timers.iter().position(|timer| timer.is_cancelled)
    {
        timers.remove(dropped);
    }
    let entries = timers.iter().map(|timer| {
        let at = if is_virtual { format!("{:?}", timer.when - Time::ZERO) } else { String::new() };
        let cancelled = if timer.is_cancelled { "cancelled" } else { "" };
        format!("{at}{NEXT_IN_A_TIMER}{cancelled}{NEXT_IN_A_TIMER}{}", timer.what)
    });
    let mut fields = vec![("timers", entries.collect::<Vec<_>>().join(NEXT))];
    if is_virtual {
        fields.push(("clock", format!("{:?}", core.clock.now() - Time::ZERO)));
    }
    fields
}

/// Between a timer's time, its state, and what it is.
const NEXT_IN_A_TIMER: &str = "\u{1d}";
