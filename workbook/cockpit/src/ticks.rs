//! The ticks of the loop that runs the server, for the page `/loop`.
//!
//! The loop is traced only while that page is open. Showing the ticks is also work for the loop and
//! would make up most of the picture. So the tasks for that work have a special name, and the page
//! leaves out their steps. Ticks in which only these tasks ran aren't sent. A tick is sent as a
//! line in the format of `WORKBOOK_TRACE`, so the page can read the tick like a recorded trace.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::os::fd::RawFd;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{
    EventLoop, QueuedBy, Ran, Result, TickTrace, Time, TracedRun, create_task, current_task,
    get_running_loop, sleep,
};
use bytes::Bytes;
use futures_util::Stream;
use serde_json::{Value, json};

use crate::listeners::{Listeners, event};

/// The minimum time between snapshots, which allows four snapshots per second.
const EVERY: Duration = Duration::from_millis(250);

/// The maximum number of ticks in a snapshot. A snapshot contains the first ticks, up to
/// `MOST_LATE` more ticks that have made other ticks late, and the number of ticks that it leaves
/// out.
const MOST: usize = 40;
const MOST_LATE: usize = 10;

/// A tick that's busy for longer than this makes other ticks late.
const LATE: Duration = Duration::from_millis(50);

/// The maximum number of timers in a list.
const MOST_TIMERS: usize = 20;

/// The name of the tasks that show the loop.
const OWN: &str = "shows /loop";

/// Shows the loop to any number of pages.
#[derive(Debug, Default)]
pub(crate) struct Ticks {
    pages: Listeners,
    seen: Rc<RefCell<Seen>>,
    is_shown: Cell<bool>,
}

/// The events since the last snapshot.
#[derive(Debug, Default)]
struct Seen {
    /// The ticks, as lines in the format of `WORKBOOK_TRACE`.
    ticks: Vec<String>,
    /// The descriptors that were ready in these ticks.
    found: BTreeSet<RawFd>,
    /// The number of ticks that didn't fit into the snapshot.
    more: u64,
    /// The number of kept ticks that made other ticks late, at most `MOST_LATE`. These ticks don't
    /// count towards `MOST`.
    late: usize,
    /// A tick that has only woken tasks. The next tick shows which tasks those are.
    wakes: Option<TickTrace>,
    /// The number of ticks so far that did only the page's own work.
    own: u64,
}

impl Ticks {
    /// Adds a page and returns the page's events. The current task has to be the one that serves
    /// the page's connection.
    pub(crate) fn listen(
        self: &Rc<Self>,
        serving: impl Fn(usize, &BTreeSet<RawFd>) -> Value + 'static,
    ) -> Result<impl Stream<Item = Bytes> + 'static> {
        Ticks::leave_out_this_step();
        let stream = self.pages.add(Vec::new());
        if !self.is_shown.replace(true) {
            let seen = Rc::clone(&self.seen);
            get_running_loop()?.set_trace(move |tick| seen.borrow_mut().note(tick));
            let ticks = Rc::clone(self);
            create_task(async move { ticks.show(serving).await })?.set_name(OWN);
        }
        Ok(stream)
    }

    /// Leaves the current task's step out of the ticks, because the step is work for the page.
    pub(crate) fn leave_out_this_step() {
        if let Some(task) = current_task() {
            task.set_name(OWN);
        }
    }

    /// Returns the number of pages.
    pub(crate) fn count(&self) -> usize {
        self.pages.count()
    }

    /// Sends snapshots until no page is left.
    async fn show(&self, serving: impl Fn(usize, &BTreeSet<RawFd>) -> Value) -> Result<()> {
        let event_loop = get_running_loop()?;
        let mut before = Value::Null;
        while self.pages.count() > 0 {
            let held = event_loop.held();
            let found = std::mem::take(&mut self.seen.borrow_mut().found);
            let state = json!({
                "tasks": held.tasks, "timers": held.timers, "descriptors": held.descriptors,
                "waiting": waiting(&event_loop),
                "serving": serving(held.descriptors, &found),
            });
            let now = event_loop.time() - Time::ZERO;
            if let Some(snapshot) = self.seen.borrow_mut().snapshot(&state, &before, now) {
                self.pages.tell(&event(&snapshot));
            }
            before = state;
            sleep(EVERY).await?;
        }
        self.is_shown.set(false);
        event_loop.clear_trace();
        self.seen.take();
        Ok(())
    }
}

impl Seen {
    /// Returns a snapshot, or `None` if nothing has changed since the last snapshot.
    fn snapshot(&mut self, state: &Value, before: &Value, now: Duration) -> Option<String> {
        if self.ticks.is_empty() && state == before {
            return None;
        }
        let (ticks, more) = (std::mem::take(&mut self.ticks), std::mem::take(&mut self.more));
        self.late = 0;
        let ticks: Vec<&str> = ticks.iter().map(|line| line.trim_end()).collect();
        let rest = json!({
            "event": "loop", "more": more, "own": self.own, "state": state,
            "now": now.as_secs_f64(),
        });
        Some(format!("{{\"ticks\":[{}],{}", ticks.join(","), &rest.to_string()[1..]))
    }

    fn note(&mut self, tick: &TickTrace) {
        if let Some(before) = self.wakes.take() {
            if tick.ran.iter().any(|run| is_of_others(run) && is_by_a_run(run)) {
                self.keep(&before);
            } else {
                self.own += 1;
            }
        }
        if tick.ran.iter().any(is_of_others) {
            self.keep(tick);
        } else if tick.ran.iter().any(|run| matches!(run.what, Ran::Wake)) {
            self.wakes = Some(tick.clone());
        } else {
            self.own += 1;
        }
    }

    fn keep(&mut self, tick: &TickTrace) {
        let is_late = tick.took.saturating_sub(tick.slept) > LATE && self.late < MOST_LATE;
        if self.ticks.len() - self.late >= MOST && !is_late {
            self.more += 1;
            return;
        }
        self.late += usize::from(is_late);
        self.found.extend(tick.events.iter().filter_map(|event| event.fd));
        self.ticks.push(tick.to_json(1));
    }
}

/// Returns true unless the callback is a timer's wake-up or a step of a task that shows the loop. A
/// wake-up doesn't count, because only the step after it shows which task was woken.
fn is_of_others(run: &TracedRun) -> bool {
    match &run.what {
        Ran::Step(task) => task.name() != OWN,
        Ran::Callback(_) => true,
        _ => false,
    }
}

fn is_by_a_run(run: &TracedRun) -> bool {
    matches!(run.by, Some(QueuedBy::Run(_)))
}

fn named(what: &Ran) -> Option<String> {
    match what {
        Ran::Step(task) => Some(task.name()).filter(|name| name != OWN),
        Ran::Callback(at) => {
            let file = at.file().rsplit('/').next().unwrap_or_default();
            Some(format!("callback of {file}:{}", at.line()))
        }
        _ => None,
    }
}

/// Returns the callbacks in the loop's queue, in order, and the timers in its heap, with the
/// nearest first. Each timer comes with its time on the loop's clock.
fn waiting(event_loop: &EventLoop) -> Value {
    let waiting = event_loop.waiting(MOST_TIMERS);
    let ready: Vec<String> = waiting.ready.iter().filter_map(named).collect();
    let timers = waiting.timers.iter().filter_map(|(when, what)| {
        let at = (*when - Time::ZERO).as_secs_f64();
        Some(json!({ "at": at, "what": named(what)? }))
    });
    json!({ "ready": ready, "timers": timers.collect::<Value>() })
}

#[cfg(test)]
mod tests {
    use asyncio::VirtualClock;

    use super::*;

    /// Returns the events for this many ticks, the last of which is busy for a second.
    fn seen_of(ticks: u64) -> Seen {
        let clock = VirtualClock::new();
        let event_loop = EventLoop::with_clock(clock.clone()).expect("a loop");
        let seen = Rc::new(RefCell::new(Seen::default()));
        let noted = Rc::clone(&seen);
        event_loop.set_trace(move |tick| noted.borrow_mut().note(tick));
        for number in 1..=ticks {
            let (clock, busy) = (clock.clone(), Duration::from_secs(u64::from(number == ticks)));
            event_loop.call_soon(move || clock.advance(busy));
            event_loop.stop();
            event_loop.run_forever().expect("a tick");
        }
        event_loop.clear_trace();
        seen.take()
    }

    #[test]
    fn of_many_ticks_the_first_are_sent_and_the_late_one_and_the_rest_is_counted() {
        let seen = seen_of(500);
        assert_eq!((seen.ticks.len(), seen.more), (MOST + 1, 500 - 41));
        assert!(seen.ticks[MOST].contains("\"tick\":500,"), "{}", seen.ticks[MOST]);
        let seen = seen_of(3);
        assert_eq!((seen.ticks.len(), seen.more), (3, 0));
    }

    #[test]
    fn a_tick_has_slept_for_itself_and_not_for_those_that_were_left_out() {
        let event_loop = EventLoop::with_clock(VirtualClock::new()).expect("a loop");
        let seen = Rc::new(RefCell::new(Seen::default()));
        let noted = Rc::clone(&seen);
        event_loop.set_trace(move |tick| noted.borrow_mut().note(tick));
        let stopped = event_loop.clone();
        event_loop.call_later(Duration::from_millis(600), move || stopped.stop());
        let shows = async {
            while sleep(EVERY).await.is_ok() {}
            Ok(())
        };
        event_loop.create_task(shows).set_name(OWN);
        event_loop.run_forever().expect("ticks");
        let seen = seen.take();
        assert_eq!((seen.own, seen.ticks.len()), (5, 1), "{:?}", seen.ticks);
        assert!(seen.ticks[0].contains(r#""timeout":0.1,"#), "{}", seen.ticks[0]);
        assert!(seen.ticks[0].contains(r#""slept":0.1,"#), "{}", seen.ticks[0]);
    }
}
