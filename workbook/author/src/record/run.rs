//! A run, from what was noted of it: its moments in order, each with what has changed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::lists::EpollLists;
use super::names::Names;
use super::noted::Noted;
use super::repeated;
use super::source::Source;
use super::things::{NEXT, Thing, Things};

/// Between a timer's time, its state, and what it is; and between a task and what it waits for.
const IN_A_TIMER: char = '\u{1d}';
const IN_A_WAIT: &str = "\u{1e}\u{1e}";

/// A moment. What has changed since the one before is in `changes`.
#[derive(Clone, PartialEq, Serialize)]
pub(super) struct Moment {
    /// The line that runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    /// The lines that have called it, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) callers: Vec<usize>,
    kind: &'static str,
    what: String,
    /// How many lines of the transcript have been printed.
    pub(super) printed: usize,
    #[serde(flatten)]
    changes: Map<String, Value>,
}

impl Moment {
    /// Returns true for a system call that has changed nothing.
    pub(super) fn is_a_mere_call(&self) -> bool {
        self.kind == "call" && self.changes.is_empty()
    }

    /// Makes the beginning of a run.
    pub(super) fn beginning(line: usize) -> Moment {
        let (what, changes) = ("the scene begins".to_owned(), Map::new());
        Moment { line: Some(line), callers: vec![], kind: "note", what, printed: 0, changes }
    }

    /// Makes a note at the same place.
    pub(super) fn saying(&self, what: String) -> Moment {
        Moment { kind: "note", what, changes: Map::new(), ..self.clone() }
    }
}

/// The run so far.
pub(super) struct Run<'a> {
    source: &'a Source,
    things: Things<'a>,
    names: Names,
    lists: EpollLists,
    /// The task that's polled, and the last line in which each was seen.
    polled: Option<String>,
    last_lines: BTreeMap<String, usize>,
    /// The callback that runs, or the task that a timer wakes, and its line.
    running: Option<(String, Option<usize>)>,
    /// The tasks that have been in the queue.
    queued: BTreeSet<String>,
    /// The tasks whose timers are due, and haven't woken them yet.
    due: VecDeque<String>,
    printed: usize,
    /// What was true after the last moment.
    state: Map<String, Value>,
    pub(super) moments: Vec<Moment>,
}

/// What a moment is called, and where it is.
struct Told {
    kind: &'static str,
    what: String,
    /// A better line than the one that was noted.
    line: Option<usize>,
}

impl<'a> Run<'a> {
    pub(super) fn of(noted: &[Noted<'_>], source: &'a Source, root: &'a Path) -> Self {
        let mut run = Run {
            source,
            things: Things { source, root },
            names: Names::default(),
            lists: EpollLists::new(noted),
            polled: None,
            last_lines: BTreeMap::new(),
            running: None,
            queued: BTreeSet::new(),
            due: VecDeque::new(),
            printed: 0,
            state: Map::new(),
            moments: Vec::new(),
        };
        for (index, moment) in noted.iter().enumerate() {
            run.take(moment, noted.get(index + 1));
        }
        run.leave_out_the_end();
        run.moments = repeated::left_out(run.moments);
        run
    }

    /// Leaves out the ticks after the last line, in which a loop ends what's left of itself.
    fn leave_out_the_end(&mut self) {
        let last = self.moments.iter().rposition(|it| it.kind == "say").unwrap_or(0);
        let tick = self.moments[last..].iter().position(|it| it.kind == "tick");
        if let Some(tick) = tick {
            self.moments.truncate(last + tick);
        }
    }

    fn take(&mut self, noted: &Noted<'_>, next: Option<&Noted<'_>>) {
        if noted.field("opens").is_some() {
            self.names.open(noted, self.source);
        }
        let lines = noted.places.iter().filter(|it| it.file == self.source.name);
        let mut lines: Vec<usize> = lines.map(|it| it.line).collect();
        lines.dedup();
        let told = if noted.kind == "call" { self.call(noted, &lines) } else { self.tell(noted) };
        if let Some(closed) = noted.field("closes") {
            self.names.close(closed);
            self.lists.close(closed, &self.names);
        }
        if noted.kind != "call"
            && let (Some(line), Some(task)) = (lines.first(), &self.polled)
        {
            self.last_lines.insert(task.clone(), *line);
        }
        let Some(told) = told else { return };
        self.printed += usize::from(told.kind == "say");
        // The layers tell of a timer or of an event just before they queue what it concerns.
        let sampled = match told.kind {
            "timer" | "event" => next.filter(|next| next.field("ready").is_some()),
            _ => None,
        };
        if ["run", "poll"].contains(&told.kind) {
            self.say_what_is_ready(noted, &lines);
        }
        let changes = self.changes(noted, sampled.unwrap_or(noted));
        if told.kind == "note" && changes.is_empty() {
            return;
        }
        if let Some(line) = told.line {
            lines.retain(|it| *it != line);
            lines.insert(0, line);
        }
        let thread = noted.field("thread").filter(|_| told.kind == "call");
        let what = match thread {
            Some(_) => format!("in another thread: {}", told.what),
            None => told.what,
        };
        let mut lines = lines.into_iter();
        self.moments.push(Moment {
            line: lines.next(),
            callers: lines.collect(),
            kind: told.kind,
            what,
            printed: self.printed,
            changes,
        });
    }

    /// Puts a system call into words. Returns `None` for one that isn't the scene's, and for what a loop
    /// does with its own descriptors.
    fn call(&mut self, noted: &Noted<'_>, lines: &[usize]) -> Option<Told> {
        let told = |kind, what| Some(Told { kind, what, line: None });
        let what = self.names.in_words(noted.what);
        self.lists.change(noted, &self.names);
        let reported = self.lists.report(noted);
        if lines.is_empty() || !self.names.know(noted.what) {
            return None;
        }
        let words = ["reports", "registers", "unregisters", "sleeps"];
        let epoll = words.iter().find_map(|name| noted.words(name).first().copied());
        let is_a_loops = |it: &str| self.names.is_a_loops(it);
        if epoll.is_some_and(is_a_loops) {
            let target = noted.words("registers").get(1).copied();
            if target.is_some_and(|it| !is_a_loops(it)) || noted.field("unregisters").is_some() {
                return told("call", what);
            }
            let reported = reported.filter(|reported| !reported.is_empty())?;
            return told("event", format!("the selector reports {reported}"));
        }
        let mut its_own = noted.words("opens").into_iter().chain(noted.field("closes"));
        if its_own.any(is_a_loops) {
            return None;
        }
        match reported.filter(|reported| !reported.is_empty()) {
            Some(reported) => told("call", format!("{what}: {reported}")),
            None => told("call", what),
        }
    }

    /// Puts into words what the layers tell.
    fn tell(&mut self, noted: &Noted<'_>) -> Option<Told> {
        let Thing { name, line } = self.things.named(noted.what);
        let last_line = self.last_lines.get(&name).copied().or(line);
        let told = |kind, what, line| Some(Told { kind, what, line });
        match noted.kind {
            "say" => told("say", noted.what.to_owned(), None),
            "tick" => told("tick", format!("{}: {}", noted.what, in_a_tick(noted)), None),
            "run" => {
                self.running = Some((name.clone(), line));
                told("run", format!("{name} runs"), line)
            }
            "wake" => {
                let task = self.due.pop_front().unwrap_or_else(|| "its task".to_owned());
                let line = self.last_lines.get(&task).copied();
                self.running = Some((task.clone(), line));
                told("wake", format!("the timer wakes {task}"), line)
            }
            "poll" => {
                self.polled = Some(name.clone());
                told("poll", format!("{name} is polled"), last_line)
            }
            "end" => {
                let outcome = noted.field("outcome").unwrap_or_default();
                self.polled = None;
                let (name, last_line) = self.running.take().unwrap_or((name, last_line));
                let outcome = self.outcome(noted, &name).unwrap_or_else(|| outcome.to_owned());
                told("note", format!("{name} {outcome}"), last_line)
            }
            "queue" => {
                let is_new = self.queued.insert(name.clone());
                let what = if self.polled.as_ref() == Some(&name) {
                    format!("{name} queues itself again")
                } else if is_new {
                    format!("{name} is created, and joins the queue")
                } else {
                    format!("{name} is woken, and joins the queue")
                };
                // Of a timer that wakes its task, the wake's own end says so.
                let is_a_timers =
                    self.running.as_ref().is_some_and(|(running, _)| *running == name);
                if is_a_timers { None } else { told("schedule", what, None) }
            }
            "schedule" => told("schedule", format!("a timer is set: {name}"), None),
            "cancel" => told("cancel", format!("a timer is cancelled: {name}"), None),
            "timer" => {
                if noted.what.starts_with("task ") {
                    self.due.push_back(name.clone());
                }
                told("timer", format!("a timer is due: {name}"), last_line)
            }
            _ => None,
        }
    }

    /// Returns what's different now, and remembers it. `sampled` has the state of the layers.
    fn changes(&mut self, noted: &Noted<'_>, sampled: &Noted<'_>) -> Map<String, Value> {
        let mut now = Map::new();
        let mut tell = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                now.insert(name.to_owned(), value);
            }
        };
        tell("descriptors", Some(self.lists.described(&self.names)));
        let mut ready = sampled.field("ready").map(|told| self.things.list(told));
        if let (Some(ready), false) = (&mut ready, std::ptr::eq(noted, sampled)) {
            // What runs next has left the queue by then.
            ready.splice(0..0, self.has_left(sampled));
        }
        tell("ready", ready.map(Value::from));
        // The next timer that's due has left the heap by then.
        let timers = noted.field("timers").or_else(|| sampled.field("timers"));
        tell("timers", timers.map(|told| self.timers(told)));
        let waits = sampled.field("waits");
        tell("waits", waits.map(|told| self.waits(told, timers.unwrap_or_default())));
        tell("clock", sampled.field("clock").map(|clock| in_time(clock).into()));
        if noted.field("ready").is_some() {
            tell("polled", Some(self.polled.clone().map_or(Value::Null, Value::from)));
        }
        let selector = match noted.kind {
            "tick" => Some(selector(noted)),
            _ => noted.words("sleeps").get(1).map(
                |timeout| json!({ "timeout": timeout, "why": "the caller has asked for that" }),
            ),
        };
        if selector.is_some() || self.state.contains_key("selector") {
            tell("selector", Some(selector.unwrap_or(Value::Null)));
        }
        now.retain(|name, value| {
            let before = self.state.get(name);
            let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            before != Some(value) && !(before.is_none() && is_empty)
        });
        self.state.extend(now.clone());
        now
    }

    /// Before something runs: adds a moment with what has joined the queue, if no moment has shown that. What
    /// runs has left the queue already.
    fn say_what_is_ready(&mut self, noted: &Noted<'_>, lines: &[usize]) {
        let Some(told) = noted.field("ready") else { return };
        let names = self.has_left(noted).into_iter().chain(self.things.list(told));
        let ready = Value::from(names.collect::<Vec<_>>());
        if self.state.get("ready") == Some(&ready) {
            return;
        }
        self.state.insert("ready".to_owned(), ready.clone());
        self.moments.push(Moment {
            line: lines.first().copied(),
            callers: vec![],
            kind: "schedule",
            what: "the queue is about to run".to_owned(),
            printed: self.printed,
            changes: Map::from_iter([("ready".to_owned(), ready)]),
        });
    }

    /// Returns what's no longer in the queue because it begins to run.
    fn has_left(&self, noted: &Noted<'_>) -> Option<String> {
        match noted.kind {
            "run" | "poll" => Some(self.things.named(noted.what).name),
            "wake" => self.due.front().map(|task| format!("wake of {task}")),
            _ => None,
        }
    }

    /// Says what a task does at the end of a step, if it hasn't ended.
    fn outcome(&self, noted: &Noted<'_>, name: &str) -> Option<String> {
        let ready = self.things.list(noted.field("ready")?);
        let is_ready = ready.iter().any(|it| it == name);
        match noted.field("outcome")? {
            // A timer's wake: it's the task that has the name.
            "returns" if is_ready => return Some("is in the queue".to_owned()),
            "waits" if is_ready => return Some("waits, and is in the queue again".to_owned()),
            "waits" => {}
            _ => return None,
        }
        let waits = self.waits(noted.field("waits")?, noted.field("timers").unwrap_or_default());
        let wait = waits.as_array()?.iter().find(|wait| wait["task"] == name)?;
        Some(format!("waits for {}", wait["for"].as_str()?))
    }

    fn timers(&self, told: &str) -> Value {
        let entries = told.split(NEXT).filter(|entry| !entry.is_empty());
        let described = entries.map(|entry| {
            let mut parts = entry.splitn(3, IN_A_TIMER);
            let at = parts.next().filter(|at| !at.is_empty()).map_or("later", in_time);
            let is_cancelled = parts.next() == Some("cancelled");
            let what = self.things.named(parts.next().unwrap_or_default()).name;
            let mut timer = json!({ "at": at, "what": what });
            if is_cancelled {
                timer["cancelled"] = true.into();
            }
            timer
        });
        described.collect()
    }

    fn waits(&self, told: &str, timers: &str) -> Value {
        let entries = told.split(NEXT).filter_map(|entry| entry.split_once(IN_A_WAIT));
        let described = entries.map(|(task, waits_for)| {
            let of_it = |timer: &&str| {
                let mut parts = timer.splitn(3, IN_A_TIMER).skip(1);
                parts.next() == Some("") && parts.next() == Some(task)
            };
            let timer = timers.split(NEXT).find(of_it);
            let (waits_for, woken_by) = match (waits_for, timer) {
                ("leaf", Some(timer)) => match timer.split(IN_A_TIMER).next() {
                    Some(at) if !at.is_empty() => {
                        let at = in_time(at);
                        (format!("a sleep until {at}"), format!("the timer at {at}"))
                    }
                    _ => ("a sleep".to_owned(), "its timer".to_owned()),
                },
                ("leaf", None) if self.due.contains(&self.things.named(task).name) => (
                    "a sleep that's over".to_owned(),
                    "its timer, which is in the queue".to_owned(),
                ),
                ("leaf", None) => ("a leaf".to_owned(), "the waker it has left there".to_owned()),
                ("future", _) => ("a future".to_owned(), "the future's result".to_owned()),
                (inner, _) => {
                    let name = self.things.named(inner).name;
                    (name.clone(), format!("the end of {name}"))
                }
            };
            let task = self.things.named(task).name;
            json!({ "task": task, "for": waits_for, "woken_by": woken_by })
        });
        described.collect()
    }
}

/// Returns how long a tick's selector may sleep: only a virtual clock says it exactly.
fn timeout(noted: &Noted<'_>) -> String {
    let told = noted.field("timeout").unwrap_or_default();
    match told.split_once('\u{1e}') {
        Some((_, exactly)) if noted.field("clock").is_some() => exactly.to_owned(),
        Some(_) => "until then".to_owned(),
        None => in_time(told).to_owned(),
    }
}

/// Writes zero as people do.
fn in_time(told: &str) -> &str {
    if told == "0ns" { "0" } else { told }
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
impl Moment {
    /// Makes a call that has changed nothing.
    pub(super) fn of_a_call(what: &str) -> Moment {
        let (line, callers, changes) = (Some(1), vec![], Map::new());
        Moment { line, callers, kind: "call", what: what.to_owned(), printed: 0, changes }
    }

    pub(super) fn what(&self) -> &str {
        &self.what
    }
}
