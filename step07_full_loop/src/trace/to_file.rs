//! A trace as lines of JSON, one for each tick, written to a file or to any other writer.
//!
//! | field | meaning |
//! | --- | --- |
//! | `loop` | the number of the trace in the process, from 1: a program can have several loops |
//! | `tick` | the number of the tick among the loop's traced ticks, from 1 |
//! | `began` | the time at which the tick began, in seconds of the loop's clock |
//! | `timeout` | the time that the tick could sleep, in seconds; `null` means forever |
//! | `why` | the reason for `timeout`: `ready`, `stopping`, `timer` or `nothing` |
//! | `slept` | the time that the tick has slept, in seconds |
//! | `events` | the events that the selector has reported: a list of `{"source", "ready", …}` |
//! | `events.source` | `wakeup`, `callbacks` or `stream` |
//! | `events.fd` | for `callbacks` and `stream`: the descriptor's number |
//! | `events.ready` | a list of `read` and `write` |
//! | `events.reader`, `events.writer` | for `callbacks`: the place that added the callback, as `file:line` |
//! | `due` | the timers that were due: a list of `{"what": "sleep"}` or `{"what": "callback", "created_at": "file:line"}` |
//! | `ran` | the entries that have run, in order: a list of `{"what", "took", …}` |
//! | `ran.what` | `callback`, `step` or `wake`, which is the timer of a task that sleeps |
//! | `ran.task` | for `step`: the task's name |
//! | `ran.created_at` | for `callback` and `step`: the place that scheduled the callback or created the task, as `file:line` |
//! | `ran.name` | the name that the entry gave itself, if any |
//! | `ran.by` | the cause that put the entry into the queue, if it's known: `{"event": 0}`, `{"timer": 0}` or `{"run": 0}`, with an index into this tick's `events`, this tick's `due` or the previous tick's `ran` |
//! | `ran.took` | the time that the entry has taken, in seconds |
//! | `took` | the duration of the tick, including its sleep, in seconds |

use std::env;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use step03_selector::Interest;
use step04_timers::Time;
use step06_tasks::Ran;

use super::{EventSource, QueuedBy, TickTrace, TracedEvent, TracedRun, WhyTimeout};
use crate::event_loop::{EventLoop, get_running_loop};

/// The environment variable that names the file to which a program's loops write their traces.
const VARIABLE: &str = "WORKBOOK_TRACE";

impl EventLoop {
    /// Writes each tick as a line of JSON, from the next tick on. The head of
    /// `src/trace/to_file.rs` describes the fields.
    ///
    /// If a line can't be written, the trace ends, and the error goes to the exception handler.
    pub fn trace_to(&self, mut writer: impl Write + 'static) {
        let number = next_number();
        self.set_trace(move |tick| {
            // In one piece, so that the lines of several loops don't mix.
            let written = writer.write_all(tick.to_json(number).as_bytes());
            if let (Err(error), Ok(event_loop)) = (written, get_running_loop()) {
                event_loop.clear_trace();
                event_loop.core.queue.report(&format!("The trace has ended: {error}"));
            }
        });
    }

    /// Begins a trace if the environment variable `WORKBOOK_TRACE` names a file.
    pub(crate) fn trace_if_asked(&self) -> io::Result<()> {
        match env::var_os(VARIABLE) {
            Some(path) if !path.is_empty() => self.trace_to(open(&path)?),
            _ => {}
        }
        Ok(())
    }
}

/// Opens the file for appending, because the program can have several loops.
fn open(path: &OsStr) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path).map_err(|error| {
        io::Error::new(error.kind(), format!("{VARIABLE}: open {}: {error}", path.display()))
    })
}

fn next_number() -> u32 {
    static TRACES: AtomicU32 = AtomicU32::new(1);
    // Relaxed: each addition finds a different value, and no other data depends on the number.
    TRACES.fetch_add(1, Ordering::Relaxed)
}

impl TickTrace {
    /// Returns the tick as a line of JSON, newline included, as [`EventLoop::trace_to`] writes it.
    /// `trace` is the number of the trace.
    pub fn to_json(&self, trace: u32) -> String {
        let began = seconds(self.began - Time::ZERO);
        let timeout = self.timeout.map_or_else(|| "null".to_owned(), seconds);
        let (why, slept, took) = (self.why.as_str(), seconds(self.slept), seconds(self.took));
        let events = list(self.events.iter().map(TracedEvent::to_json));
        let due = list(self.due.iter().map(due_timer));
        let ran = list(self.ran.iter().map(TracedRun::to_json));
        format!(
            "{{\"loop\":{trace},\"tick\":{},\"began\":{began},\"timeout\":{timeout},\
             \"why\":\"{why}\",\"slept\":{slept},\"events\":{events},\"due\":{due},\
             \"ran\":{ran},\"took\":{took}}}\n",
            self.number,
        )
    }
}

impl WhyTimeout {
    fn as_str(self) -> &'static str {
        match self {
            WhyTimeout::Ready => "ready",
            WhyTimeout::Stopping => "stopping",
            WhyTimeout::Timer => "timer",
            WhyTimeout::Nothing => "nothing",
        }
    }
}

impl TracedEvent {
    fn to_json(&self) -> String {
        let directions = [(Interest::READABLE, "read"), (Interest::WRITABLE, "write")];
        let ready = directions.iter().filter(|(direction, _)| self.ready.contains(*direction));
        let ready = list(ready.map(|(_, name)| string(name)));
        let rest = match &self.source {
            EventSource::Callbacks { reader, writer } => {
                let named = |name: &str, at: Option<&Location<'_>>| {
                    at.map_or_else(String::new, |at| format!(",\"{name}\":{}", place(at)))
                };
                named("reader", *reader) + &named("writer", *writer)
            }
            EventSource::Wakeup | EventSource::Stream => String::new(),
        };
        let source = match &self.source {
            EventSource::Wakeup => "wakeup",
            EventSource::Callbacks { .. } => "callbacks",
            EventSource::Stream => "stream",
        };
        let fd = self.fd.map_or_else(String::new, |fd| format!(",\"fd\":{fd}"));
        format!("{{\"source\":\"{source}\"{fd},\"ready\":{ready}{rest}}}")
    }
}

fn due_timer(timer: &Ran) -> String {
    match timer {
        Ran::Callback(at) => format!("{{\"what\":\"callback\",\"created_at\":{}}}", place(at)),
        _ => "{\"what\":\"sleep\"}".to_owned(),
    }
}

impl TracedRun {
    fn to_json(&self) -> String {
        let what = match &self.what {
            Ran::Callback(at) => format!("\"callback\",\"created_at\":{}", place(at)),
            Ran::Step(task) => format!(
                "\"step\",\"task\":{},\"created_at\":{}",
                string(&task.name()),
                place(task.created_at()),
            ),
            _ => "\"wake\"".to_owned(),
        };
        let name = self
            .name
            .as_ref()
            .map_or_else(String::new, |name| format!(",\"name\":{}", string(name)));
        let by = self.by.map_or_else(String::new, |by| format!(",\"by\":{}", by.to_json()));
        format!("{{\"what\":{what}{name}{by},\"took\":{}}}", seconds(self.took))
    }
}

impl QueuedBy {
    fn to_json(self) -> String {
        let (what, at) = match self {
            QueuedBy::Event(at) => ("event", at),
            QueuedBy::Timer(at) => ("timer", at),
            QueuedBy::Run(at) => ("run", at),
        };
        format!("{{\"{what}\":{at}}}")
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn place(location: &Location<'_>) -> String {
    string(&format!("{}:{}", location.file(), location.line()))
}

/// Returns a duration in seconds as a decimal number, exact to the nanosecond.
fn seconds(duration: Duration) -> String {
    let digits = format!("{}.{:09}", duration.as_secs(), duration.subsec_nanos());
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns a string in quotes. JSON requires quotes, backslashes and control characters to be
/// escaped and takes everything else as it is; see RFC 8259, section 7.
fn string(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            // Writing to a String never fails.
            '\0'..='\x1f' => drop(write!(quoted, "\\u{:04x}", u32::from(character))),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
