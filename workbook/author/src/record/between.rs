//! The events between two moments, reconstructed from the moments' differences: tasks that have
//! joined the queue, timers that were set, were cancelled or have become due, and the beginning of
//! a tick.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::held::{Timer, in_time};
use super::noted::Noted;
use super::run::{Run, Told, begins_to_run};
use super::things::{INBOX, Thing};
use super::ticks::{Next, Tick};

impl<'a> Run<'a> {
    /// Begins a tick. First shows the events before the tick, which the tick's first moment
    /// reveals.
    pub(super) fn begin_a_tick(&mut self, tick: Tick<'_, 'a>, rest: &[Next<'_, 'a>]) {
        self.becomes_due = tick.due().into();
        let first = rest.iter().find_map(|next| match next {
            Next::Moment(moment) if moment.field("ready").is_some() => Some(*moment),
            _ => None,
        });
        let first = first.or(tick.end);
        let lines = tick.end.or(first).map_or_else(Vec::new, |told| self.lines_of(told));
        let (what, selector) = match tick.end {
            Some(end) => (in_a_tick(end), selector(end)),
            None => ("the run doesn't come to its end".to_owned(), Value::Null),
        };
        let mut changes = Map::from_iter([("selector".to_owned(), selector)]);
        if let Some(first) = first {
            let (ready, timers) = self.held_before_the_due(first, tick);
            self.show_news(&ready, &timers, &[]);
            changes.insert("ready".to_owned(), Thing::names(&ready).into());
        }
        let is_virtual = first.is_some_and(|first| first.field("clock").is_some());
        let began = tick.end.and_then(|end| end.field("began")).filter(|_| is_virtual);
        changes.extend(began.map(|began| ("clock".to_owned(), in_time(began).into())));
        self.keep_changes(&mut changes);
        let what = format!("tick {}: {what}", tick.number);
        self.add(Told { kind: "tick", what, line: None }, lines, changes);
    }

    /// Returns the ready tasks and the timers at the beginning of a tick. If a task or callback
    /// begins to run at the tick's first moment, the due timers have already left the heap and are
    /// last in the queue, so we move them back.
    fn held_before_the_due(
        &self,
        first: &Noted<'_>,
        tick: Tick<'_, '_>,
    ) -> (Vec<Thing>, Vec<Timer>) {
        let mut ready = self.things.ready(first, &self.due).unwrap_or_default();
        let mut timers = self.timers_at(first);
        if begins_to_run(first) {
            ready.truncate(ready.len().saturating_sub(self.becomes_due.len()));
            let is_virtual = first.field("clock").is_some();
            let until = tick.end.and_then(|end| end.field("until")).filter(|_| is_virtual);
            let mut shown = self.timers.clone();
            for (at, told) in self.becomes_due.iter().enumerate() {
                let place = shown.iter().position(|timer| is_it(timer, &self.things.named(told)));
                // This timer was set since the last moment. It can be any timer that's due by now.
                let timer = match place {
                    Some(place) => shown.remove(place),
                    None => Timer {
                        at: until.map(|until| in_time(until).to_owned()),
                        what: self.things.named(told),
                    },
                };
                timers.insert(at, timer);
            }
        }
        (ready, timers)
    }

    /// Shows the events since the last moment, before we show the new moment itself.
    pub(super) fn show_what_came_before(&mut self, noted: &Noted<'_>, lines: &[usize]) {
        if begins_to_run(noted) {
            self.show_the_due(noted, lines);
        }
        let Some(ready) = self.things.ready(noted, &self.due) else { return };
        let timers = self.timers_at(noted);
        // The event happened on a different line than this print or call, but with the same caller.
        // An event that becomes visible when a task or callback begins to run can have happened
        // earlier.
        let from = match noted.kind {
            "end" => 0,
            "say" | "call" => lines.len().saturating_sub(1).max(1),
            _ => lines.len(),
        };
        self.show_news(&ready, &timers, lines.get(from..).unwrap_or_default());
        if begins_to_run(noted) {
            let names = Value::from(Thing::names(&ready));
            if self.state.get("ready").is_none_or(|shown| *shown != names) {
                let changes = Map::from_iter([("ready".to_owned(), names)]);
                self.show("schedule", "the queue is about to run".to_owned(), None, lines, changes);
            }
        }
    }

    /// Shows the tasks that have joined the queue and the timers that were set or cancelled. The
    /// new tasks come after the queue's earlier entries. We can't tell which events came first. We
    /// show created tasks before timers, because most code creates its tasks before it waits.
    fn show_news(&mut self, ready: &[Thing], timers: &[Timer], lines: &[usize]) {
        let shown = self.state.get("ready").and_then(Value::as_array).cloned().unwrap_or_default();
        // Entries that were in the inbox now have their own places in the queue.
        let shown: Vec<&Value> = shown.iter().filter(|name| *name != INBOX).collect();
        let is_behind = shown.iter().zip(ready).all(|(shown, thing)| **shown == thing.name);
        let joined = if is_behind { shown.len().min(ready.len()) } else { ready.len() };
        let is_new = |thing: &Thing| thing.is_task && !self.tasks.contains(&thing.name);
        let created = ready.iter().rposition(is_new).map_or(joined, |last| joined.max(last + 1));
        self.show_what_has_joined(ready, joined..created, lines);
        self.show_new_timers(timers, lines);
        self.show_what_has_joined(ready, created..ready.len(), lines);
    }

    fn show_what_has_joined(&mut self, ready: &[Thing], which: Range<usize>, lines: &[usize]) {
        for at in which {
            let Thing { name, line, is_task } = &ready[at];
            // If a timer wakes its task, the moment at the end of the wake says that the task is in
            // the queue, so we skip the task here.
            let is_a_timers = self.running.as_ref().is_some_and(|(running, _)| running == name);
            if !is_task || is_a_timers {
                continue;
            }
            let is_new = !self.tasks.contains(name);
            let what = if self.polled.as_ref() == Some(name) {
                format!("{name} queues itself again")
            } else if is_new {
                format!("{name} is created, and joins the queue")
            } else {
                format!("{name} is woken, and joins the queue")
            };
            if is_new {
                self.tasks.push(name.clone());
            }
            let names = Thing::names(&ready[..=at]);
            let mut changes = Map::from_iter([("ready".to_owned(), names.into())]);
            if let Some(waits) = self.state.get("waits").and_then(Value::as_array) {
                let others = waits.iter().filter(|wait| wait["task"] != *name).cloned();
                changes.insert("waits".to_owned(), others.collect());
            }
            self.show("schedule", what, line.filter(|_| is_new), lines, changes);
        }
    }

    /// Shows the timers that were set or cancelled.
    fn show_new_timers(&mut self, timers: &[Timer], lines: &[usize]) {
        let mut before = self.timers.clone();
        let mut is_new = |timer: &Timer| match before.iter().position(|it| it == timer) {
            Some(place) => {
                before.remove(place);
                false
            }
            None => true,
        };
        let set: Vec<Timer> = timers.iter().filter(|timer| is_new(timer)).cloned().collect();
        for cancelled in before {
            self.timers.remove(self.timers.iter().position(|it| *it == cancelled).unwrap_or(0));
            let what = format!("a timer is cancelled: {}", cancelled.what.name);
            self.show_timers("cancel", what, None, lines);
        }
        for timer in set {
            let what = format!("a timer is set: {}", timer.what.name);
            let line = timer.what.line.filter(|_| !timer.what.is_task);
            let place = timers
                .iter()
                .filter(|it| **it == timer || self.timers.contains(it))
                .position(|it| *it == timer);
            self.timers.insert(place.unwrap_or(0).min(self.timers.len()), timer);
            self.show_timers("schedule", what, line, lines);
        }
    }

    /// Shows the timers that have become due in this tick and that the loop has queued.
    fn show_the_due(&mut self, noted: &Noted<'_>, lines: &[usize]) {
        let due = std::mem::take(&mut self.becomes_due);
        let mut shown = Vec::new();
        for told in due {
            let place = self.timers.iter().position(|it| is_it(it, &self.things.named(told)));
            let timer = match place {
                Some(place) => self.timers.remove(place).what,
                None => self.things.named(told),
            };
            if timer.is_task {
                self.due.push_back(timer.name.clone());
            }
            shown.push((timer, self.timers.clone()));
        }
        let Some(ready) = self.things.ready(noted, &self.due) else { return };
        let names = Thing::names(&ready);
        let count = shown.len();
        for (at, (timer, timers)) in shown.into_iter().enumerate() {
            let queued = names.len().saturating_sub(count - at - 1);
            let mut changes = Map::from_iter([
                ("ready".to_owned(), names[..queued].into()),
                ("timers".to_owned(), Timer::in_json(&timers)),
            ]);
            let clock = noted.field("clock").map(|clock| in_time(clock).into());
            changes.extend(clock.map(|clock| ("clock".to_owned(), clock)));
            let waits = self.things.waits(noted, &timers, &self.due, &self.tasks);
            changes.extend(waits.map(|waits| ("waits".to_owned(), waits)));
            let what = format!("a timer is due: {}", timer.name);
            let line = if timer.is_task { self.last_line_of(&timer.name) } else { timer.line };
            self.show("timer", what, line, lines, changes);
        }
    }

    fn show_timers(
        &mut self,
        kind: &'static str,
        what: String,
        line: Option<usize>,
        lines: &[usize],
    ) {
        let changes = Map::from_iter([("timers".to_owned(), Timer::in_json(&self.timers))]);
        self.show(kind, what, line, lines, changes);
    }

    fn show(
        &mut self,
        kind: &'static str,
        what: String,
        line: Option<usize>,
        lines: &[usize],
        mut changes: Map<String, Value>,
    ) {
        changes.insert("descriptors".to_owned(), self.descriptors());
        self.keep_changes(&mut changes);
        self.add(Told { kind, what, line }, lines.to_vec(), changes);
    }
}

/// Returns true if a timer can be the timer that the loop reported as due. The loop's report of a
/// sleep has no name, but the sleep's timer in the heap has the task's name.
fn is_it(timer: &Timer, told: &Thing) -> bool {
    if told.name == "sleep" { timer.what.is_task } else { timer.what.name == told.name }
}

/// Returns the maximum time for which a tick's selector may sleep. Without a virtual clock, the
/// time until the first timer differs from run to run, so the text is `until then`.
fn timeout(noted: &Noted<'_>) -> String {
    let told = noted.field("timeout").unwrap_or_default();
    match told.split_once('\u{1e}') {
        Some((_, exactly)) if noted.field("clock").is_some() => exactly.to_owned(),
        Some(_) => "until then".to_owned(),
        None => in_time(told).to_owned(),
    }
}

fn selector(noted: &Noted<'_>) -> Value {
    json!({ "timeout": timeout(noted), "why": noted.field("why").unwrap_or_default() })
}

fn in_a_tick(noted: &Noted<'_>) -> String {
    let why = noted.field("why").unwrap_or_default();
    match (timeout(noted).as_str(), why) {
        ("0", why) => format!("the selector only looks, because {why}"),
        ("forever", why) => format!("the selector can sleep forever: {why}"),
        (timeout, why) => format!("the selector can sleep for {timeout}: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use judging::workbook::Workbook;

    use super::super::source::Source;
    use super::*;

    /// Returns the sentences of a run's moments, given an onlooker's records as pairs of a kind and
    /// its fields.
    fn said(told: &[(&str, &str)]) -> Vec<String> {
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        let step = workbook.step("step07_full_loop");
        let source = Source::of_scene(&step, "order_in_a_tick").unwrap();
        let text = |(kind, fields): &(&str, &str)| {
            let fields = fields.replace(" | ", "\n").replace(';', "\u{1f}").replace('~', "\u{1e}");
            format!("kind\t{kind}\nat\t\n{}", fields.replace('=', "\t"))
        };
        let texts: Vec<String> = told.iter().map(text).collect();
        let noted: Vec<Noted<'_>> = texts.iter().map(|it| Noted::parse(it).unwrap()).collect();
        let run = Run::of(&noted, &source, Path::new("/nowhere"));
        run.moments.iter().map(|moment| moment.what().to_owned()).collect()
    }

    const TICK: &str = "timeout=until~1s | why=the first timer | began=1s | until=2s";

    #[test]
    fn what_was_set_and_has_become_due_between_two_moments_is_seen_at_the_second() {
        let due = format!("what=tick 1 | {TICK} | due=callback~x.rs:1;sleep | clock=2s | runs=yes");
        let told = [
            ("say", "what=it begins | ready= | timers=2s~~task A~x.rs:9"),
            ("run", "what=callback~x.rs:1 | ready=wake | timers= | waits= | clock=2s | runs=yes"),
            ("end", "what=callback~x.rs:1 | ready=wake | timers= | waits= | clock=2s | runs=yes"),
            ("wake", "what=wake | ready= | timers= | waits= | clock=2s | runs=yes"),
            ("tick", &due),
            ("say", "what=it ends | ready= | timers="),
        ];
        let callback = "a callback of the loop (x.rs)";
        let expected = [
            "a timer is set: task A".to_owned(),
            "it begins".to_owned(),
            format!("a timer is set: {callback}"),
            "tick 1: the selector can sleep for 1s: the first timer".to_owned(),
            format!("a timer is due: {callback}"),
            "a timer is due: task A".to_owned(),
            format!("{callback} runs"),
            "the timer wakes task A".to_owned(),
            "it ends".to_owned(),
        ];
        assert_eq!(said(&told), expected);
    }

    #[test]
    fn what_a_task_creates_comes_before_what_it_waits_for_and_that_before_whom_it_wakes() {
        let told = [
            ("say", "what=it begins | ready=task B~x.rs:9;task A~x.rs:1 | timers="),
            ("poll", "what=task A~x.rs:1 | ready= | timers=1s~~task B~x.rs:9 | runs=yes"),
            (
                "end",
                "what=task A~x.rs:1 | outcome=waits | waits=task A~x.rs:1~~leaf | runs=yes | \
                 ready=task C~x.rs:2;task B~x.rs:9 | timers=3s~~task A~x.rs:1",
            ),
            ("say", "what=it's still in the tick | ready= | timers=3s~~task A~x.rs:1 | runs=yes"),
        ];
        let expected = [
            "task B is created, and joins the queue",
            "task A is created, and joins the queue",
            "it begins",
            "a timer is set: task B",
            "tick 1: the run doesn't come to its end",
            "task A is polled",
            "task C is created, and joins the queue",
            "a timer is cancelled: task B",
            "a timer is set: task A",
            "task B is woken, and joins the queue",
            "task A waits for a sleep until 3s",
            "it's still in the tick",
        ];
        assert_eq!(said(&told), expected);
    }
}
