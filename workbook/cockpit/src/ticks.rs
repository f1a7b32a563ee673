//! What the loop that serves all this is doing: its ticks, for the page `/loop`.
//!
//! The loop is only traced while such a page is open. Showing it is work of the loop, too, and
//! would be most of what there is to see. So the tasks that do it have a name, and their steps are
//! left out, with the ticks that ran nothing else. The sleeps around such a tick count as one.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{
    EventLoop, EventSource, Ran, Result, TickTrace, Time, WhyTimeout, create_task, current_task,
    get_running_loop, sleep,
};
use bytes::Bytes;
use futures_util::Stream;
use serde_json::{Value, json};

use crate::listeners::{Listeners, event};

/// At most four times a second.
const EVERY: Duration = Duration::from_millis(250);

/// The most ticks in one snapshot. Of more, the page only learns how many there were.
const MOST: usize = 40;

/// The most timers that are listed.
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

/// What has happened since the last snapshot.
#[derive(Debug, Default)]
struct Seen {
    ticks: VecDeque<Value>,
    /// The ticks that didn't fit.
    more: u64,
    /// The ticks of this page itself, since the beginning.
    own: u64,
    /// How long the loop has slept around its own ticks.
    slept: Duration,
}

impl Ticks {
    /// Adds a page, whose connection's task is the current one, and returns its events.
    pub(crate) fn listen(
        self: &Rc<Self>,
        counts: impl Fn(usize) -> Value + 'static,
    ) -> Result<impl Stream<Item = Bytes> + 'static> {
        if let Some(task) = current_task() {
            task.set_name(OWN);
        }
        let stream = self.pages.add(Vec::new());
        if !self.is_shown.replace(true) {
            let seen = Rc::clone(&self.seen);
            get_running_loop()?.set_trace(move |tick| seen.borrow_mut().note(tick));
            let ticks = Rc::clone(self);
            create_task(async move { ticks.show(counts).await })?.set_name(OWN);
        }
        Ok(stream)
    }

    /// Returns the number of pages.
    pub(crate) fn count(&self) -> usize {
        self.pages.count()
    }

    /// Sends snapshots, until no page is left.
    async fn show(&self, counts: impl Fn(usize) -> Value) -> Result<()> {
        let event_loop = get_running_loop()?;
        let mut before = Value::Null;
        while self.pages.count() > 0 {
            let held = event_loop.held();
            let state = json!({
                "tasks": held.tasks, "timers": held.timers, "descriptors": held.descriptors,
                "waiting": waiting(&event_loop),
                "serving": counts(held.descriptors),
            });
            let now = event_loop.time() - Time::ZERO;
            if let Some(snapshot) = self.seen.borrow_mut().snapshot(&state, &before, now) {
                self.pages.tell(&event(&snapshot.to_string()));
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
    /// Returns what's new, if anything is.
    fn snapshot(&mut self, state: &Value, before: &Value, now: Duration) -> Option<Value> {
        if self.ticks.is_empty() && state == before {
            return None;
        }
        let (ticks, more) = (std::mem::take(&mut self.ticks), std::mem::take(&mut self.more));
        Some(json!({
            "event": "loop", "ticks": ticks, "more": more, "own": self.own, "state": state,
            "now": now.as_secs_f64(),
        }))
    }

    fn note(&mut self, tick: &TickTrace) {
        self.slept += tick.slept;
        let ran: Vec<Value> = tick.ran.iter().filter_map(|it| shown(&it.what, it.took)).collect();
        if ran.is_empty() {
            self.own += 1;
            return;
        }
        let why = match tick.why {
            WhyTimeout::Ready => "ready",
            WhyTimeout::Stopping => "stopping",
            WhyTimeout::Timer => "timer",
            WhyTimeout::Nothing => "nothing",
        };
        let from_outside = |source: &EventSource| matches!(source, EventSource::Wakeup);
        let slept = std::mem::take(&mut self.slept);
        self.ticks.push_back(json!({
            "number": tick.number,
            "slept": slept.as_secs_f64(),
            "why": why,
            "events": tick.events.len(),
            "wakeups": tick.events.iter().filter(|event| from_outside(&event.source)).count(),
            "due": tick.due.len(),
            "ran": ran,
            "busy": tick.took.saturating_sub(tick.slept).as_secs_f64(),
        }));
        if self.ticks.len() > MOST {
            self.ticks.pop_front();
            self.more += 1;
        }
    }
}

/// Describes something that has run, unless it's a task that shows the loop, or a timer's wake-up:
/// the step that follows tells more.
fn shown(what: &Ran, took: Duration) -> Option<Value> {
    Some(json!({ "what": named(what)?, "took": took.as_secs_f64() }))
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

/// Returns what waits in the loop's queue, next first, and in its heap, nearest first, each with
/// its time by the loop's clock.
fn waiting(event_loop: &EventLoop) -> Value {
    let waiting = event_loop.waiting(MOST_TIMERS);
    let ready: Vec<String> = waiting.ready.iter().filter_map(named).collect();
    let timers = waiting.timers.iter().filter_map(|(when, what)| {
        let at = (*when - Time::ZERO).as_secs_f64();
        Some(json!({ "at": at, "what": named(what)? }))
    });
    json!({ "ready": ready, "timers": timers.collect::<Value>() })
}
