//! A run, reconstructed from its records: its moments in order, each with its changes.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::held::{Timer, in_time};
use super::lists::EpollLists;
use super::names::Names;
use super::noted::Noted;
use super::repeated;
use super::source::Source;
use super::things::{Thing, Things};
use super::ticks::{Next, in_order};

/// A moment. `changes` contains the differences from the previous moment.
#[derive(Clone, PartialEq, Serialize)]
pub(super) struct Moment {
    /// The line that is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    /// The lines of the callers, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) callers: Vec<usize>,
    kind: &'static str,
    what: String,
    /// The number of the transcript's lines that have been printed so far.
    pub(super) printed: usize,
    #[serde(flatten)]
    changes: Map<String, Value>,
}

impl Moment {
    /// Returns true if the moment is just a system call without any changes.
    pub(super) fn is_a_mere_call(&self) -> bool {
        self.kind == "call" && self.changes.is_empty()
    }

    /// Creates the moment at the beginning of a run.
    pub(super) fn beginning(line: usize) -> Moment {
        let (what, changes) = ("the scene begins".to_owned(), Map::new());
        Moment { line: Some(line), callers: vec![], kind: "note", what, printed: 0, changes }
    }

    /// Creates a moment with a message, at the place of this moment.
    pub(super) fn saying(&self, what: String) -> Moment {
        Moment { kind: "note", what, changes: Map::new(), ..self.clone() }
    }
}

/// The run so far.
pub(super) struct Run<'a> {
    source: &'a Source,
    pub(super) things: Things<'a>,
    names: Names,
    lists: EpollLists,
    /// The task that's being polled and the last line at which it was seen in this step.
    pub(super) polled: Option<String>,
    polled_in: Option<usize>,
    /// For each task that has begun, the last line at which it was seen. The task continues after
    /// that line.
    pub(super) last_lines: BTreeMap<String, Option<usize>>,
    /// The running task or callback, with its line.
    pub(super) running: Option<(String, Option<usize>)>,
    /// The tasks that have been in the queue, in the order in which they were created.
    pub(super) tasks: Vec<String>,
    /// The tasks that haven't been woken yet although their timers are due.
    pub(super) due: VecDeque<String>,
    /// The timers that become due in this tick and haven't been shown yet, as reported by the loop.
    pub(super) becomes_due: VecDeque<&'a str>,
    /// The timers as they were last shown.
    pub(super) timers: Vec<Timer>,
    printed: usize,
    /// The state after the last moment.
    pub(super) state: Map<String, Value>,
    pub(super) moments: Vec<Moment>,
}

/// A moment's description and place.
pub(super) struct Told {
    pub(super) kind: &'static str,
    pub(super) what: String,
    /// A line that's more useful to a reader than the recorded line, or `None` if there's no such
    /// line.
    pub(super) line: Option<usize>,
}

impl<'a> Run<'a> {
    pub(super) fn of(noted: &[Noted<'a>], source: &'a Source, root: &'a Path) -> Self {
        let mut run = Run {
            source,
            things: Things { source, root },
            names: Names::default(),
            lists: EpollLists::new(noted),
            polled: None,
            polled_in: None,
            last_lines: BTreeMap::new(),
            running: None,
            tasks: Vec::new(),
            due: VecDeque::new(),
            becomes_due: VecDeque::new(),
            timers: Vec::new(),
            printed: 0,
            state: Map::new(),
            moments: Vec::new(),
        };
        let all = in_order(noted);
        for (index, next) in all.iter().enumerate() {
            match next {
                Next::Tick(tick) => run.begin_a_tick(*tick, &all[index + 1..]),
                Next::Moment(moment) => run.take(moment, all.get(index + 1)),
            }
        }
        run.leave_out_the_end();
        run.moments = repeated::left_out(run.moments);
        run
    }

    /// Leaves out the ticks after the last printed line, in which a loop finishes its remaining
    /// tasks.
    fn leave_out_the_end(&mut self) {
        let last = self.moments.iter().rposition(|it| it.kind == "say").unwrap_or(0);
        let tick = self.moments[last..].iter().position(|it| it.kind == "tick");
        if let Some(tick) = tick {
            self.moments.truncate(last + tick);
        }
    }

    fn take(&mut self, noted: &Noted<'_>, next: Option<&Next<'_, '_>>) {
        if noted.field("opens").is_some() {
            self.names.open(noted, self.source);
        }
        let lines = self.lines_of(noted);
        self.show_what_came_before(noted, &lines);
        let told = if noted.kind == "call" { self.call(noted, &lines) } else { self.tell(noted) };
        if let Some(closed) = noted.field("closes") {
            self.names.close(closed);
            self.lists.close(closed, &self.names);
        }
        let is_a_tasks = ["say", "call"].contains(&noted.kind) && noted.field("thread").is_none();
        if let (true, Some(line), Some(task)) = (is_a_tasks, lines.first(), &self.polled) {
            self.polled_in = Some(*line);
            self.last_lines.insert(task.clone(), Some(*line));
        }
        let Some(told) = told else { return };
        self.printed += usize::from(told.kind == "say");
        // A wait returns before the loop queues the callbacks for its events.
        let sampled = match (told.kind, next) {
            ("event", Some(Next::Moment(next))) if next.field("ready").is_some() => *next,
            _ => noted,
        };
        let mut changes = self.changes(noted, sampled);
        self.keep_changes(&mut changes);
        if told.kind == "note" && changes.is_empty() {
            return;
        }
        let thread = noted.field("thread").filter(|_| told.kind == "call");
        let what = match thread {
            Some(_) => format!("in another thread: {}", told.what),
            None => told.what,
        };
        self.add(Told { what, ..told }, lines, changes);
    }

    /// Returns the lines in the scene's file that led to a moment, innermost first.
    pub(super) fn lines_of(&self, noted: &Noted<'_>) -> Vec<usize> {
        let lines = noted.lines.iter().filter(|it| it.file == self.source.name);
        let mut lines: Vec<usize> = lines.map(|it| it.line).collect();
        lines.dedup();
        lines
    }

    /// Adds a moment.
    pub(super) fn add(&mut self, told: Told, mut lines: Vec<usize>, changes: Map<String, Value>) {
        if let Some(line) = told.line {
            lines.retain(|it| *it != line);
            lines.insert(0, line);
        }
        let mut lines = lines.into_iter();
        self.moments.push(Moment {
            line: lines.next(),
            callers: lines.collect(),
            kind: told.kind,
            what: told.what,
            printed: self.printed,
            changes,
        });
    }

    /// Describes a system call. Returns `None` for calls that the scene didn't make and for calls
    /// that a loop makes on its own descriptors, unless the call registers one of the scene's
    /// descriptors, unregisters a descriptor, or reports events.
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

    /// Returns a description of a moment that an onlooker has recorded.
    fn tell(&mut self, noted: &Noted<'_>) -> Option<Told> {
        let Thing { name, line, .. } = self.things.named(noted.what);
        let told = |kind, what, line| Some(Told { kind, what, line });
        match noted.kind {
            "say" => told("say", noted.what.to_owned(), None),
            "run" => {
                self.running = Some((name.clone(), line));
                told("run", format!("{name} runs"), line)
            }
            "wake" => {
                let task = self.due.pop_front().unwrap_or_else(|| "its task".to_owned());
                let line = self.last_line_of(&task);
                self.running = Some((task.clone(), line));
                told("wake", format!("the timer wakes {task}"), line)
            }
            "poll" => {
                (self.polled, self.polled_in) = (Some(name.clone()), None);
                // A task starts at the line where it was created.
                let line = *self.last_lines.entry(name.clone()).or_insert(line);
                told("poll", format!("{name} is polled"), line)
            }
            "end" => {
                let outcome = noted.field("outcome").unwrap_or_default();
                if self.polled.take().is_some() && self.polled_in.is_none() {
                    // The task is no longer at that line.
                    self.last_lines.insert(name.clone(), None);
                }
                let (name, line) = self.running.take().unwrap_or((name, self.polled_in));
                let outcome = self.outcome(noted, &name).unwrap_or_else(|| outcome.to_owned());
                told("note", format!("{name} {outcome}"), line)
            }
            _ => None,
        }
    }

    /// Returns the current state. The ready queue and the waiting tasks come from `sampled`, and
    /// the timers, the clock and the timeout come from `noted`.
    fn changes(&mut self, noted: &Noted<'_>, sampled: &Noted<'_>) -> Map<String, Value> {
        let mut now = Map::new();
        let mut tell = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                now.insert(name.to_owned(), value);
            }
        };
        tell("descriptors", Some(self.descriptors()));
        let mut ready = self.things.ready(sampled, &self.due);
        if let Some(ready) = &mut ready {
            if std::ptr::eq(noted, sampled) {
                // A task that begins to run has left the queue.
                ready.drain(..usize::from(begins_to_run(noted)));
            } else if begins_to_run(sampled) {
                // The due timers come after the events.
                ready.truncate(ready.len().saturating_sub(self.becomes_due.len()));
            }
        }
        tell("ready", ready.map(|ready| Thing::names(&ready).into()));
        if let Some(timers) = self.things.timers(noted) {
            self.timers = timers;
            tell("timers", Some(Timer::in_json(&self.timers)));
        }
        tell("waits", self.things.waits(sampled, &self.timers, &self.due, &self.tasks));
        tell("clock", noted.field("clock").map(|clock| in_time(clock).into()));
        if noted.field("ready").is_some() {
            tell("polled", Some(self.polled.clone().map_or(Value::Null, Value::from)));
        }
        tell(
            "selector",
            noted.words("sleeps").get(1).map(
                |timeout| json!({ "timeout": timeout, "why": "the caller has asked for that" }),
            ),
        );
        now
    }

    /// Returns the timers at a moment. If no loop has reported its timers, returns the timers from
    /// the last moment.
    pub(super) fn timers_at(&self, noted: &Noted<'_>) -> Vec<Timer> {
        self.things.timers(noted).unwrap_or_else(|| self.timers.clone())
    }

    pub(super) fn last_line_of(&self, task: &str) -> Option<usize> {
        self.last_lines.get(task).copied().flatten()
    }

    pub(super) fn descriptors(&self) -> Value {
        self.lists.described(&self.names)
    }

    /// Removes from `now` everything that hasn't changed and remembers the changes. The selector
    /// counts as awake unless the changes say otherwise.
    pub(super) fn keep_changes(&mut self, now: &mut Map<String, Value>) {
        if self.state.contains_key("selector") {
            now.entry("selector").or_insert(Value::Null);
        }
        now.retain(|name, value| {
            let before = self.state.get(name);
            let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            before != Some(value) && !(before.is_none() && is_empty)
        });
        self.state.extend(now.clone());
    }

    /// Describes where a task is at the end of a step: in the queue, or waiting for something.
    /// Returns `None` if the task has ended or if we don't know what it waits for.
    fn outcome(&self, noted: &Noted<'_>, name: &str) -> Option<String> {
        let ready = self.things.ready(noted, &self.due)?;
        let is_ready = ready.iter().any(|it| it.name == name);
        match noted.field("outcome")? {
            // In a timer's wake, the name is the task's name.
            "returns" if is_ready => return Some("is in the queue".to_owned()),
            "waits" if is_ready => return Some("waits, and is in the queue again".to_owned()),
            "waits" => {}
            _ => return None,
        }
        let timers = self.timers_at(noted);
        let waits = self.things.waits(noted, &timers, &self.due, &self.tasks)?;
        let wait = waits.as_array()?.iter().find(|wait| wait["task"] == name)?;
        Some(format!("waits for {}", wait["for"].as_str()?))
    }
}

/// Returns true if a task or a callback begins to run at this moment.
pub(super) fn begins_to_run(noted: &Noted<'_>) -> bool {
    ["run", "poll", "wake"].contains(&noted.kind)
}

#[cfg(test)]
impl Moment {
    /// Creates a moment with a call and without any changes.
    pub(super) fn of_a_call(what: &str) -> Moment {
        let (line, callers, changes) = (Some(1), vec![], Map::new());
        Moment { line, callers, kind: "call", what: what.to_owned(), printed: 0, changes }
    }

    pub(super) fn what(&self) -> &str {
        &self.what
    }
}
