//! A command's messages to other programs. Each line is checked against the schema.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::schema::misfits;

/// The maximum time for a verdict on a busy machine, including compilation.
const LIMIT: Duration = Duration::from_mins(4);

/// Returns the text of one of the workbook's files.
pub(crate) fn file(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the root");
    fs::read_to_string(root.join(name)).expect("read a file of the workbook")
}

/// Parses a line as an event. Panics unless it fits the schema.
#[track_caller]
pub(crate) fn event(line: &str) -> Value {
    let event: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let misfits = misfits(&event);
    assert!(misfits.is_empty(), "{line}\n{misfits:#?}");
    event
}

/// Returns the event's name.
pub(crate) fn name(event: &Value) -> &str {
    event["event"].as_str().expect("a name")
}

/// A command in progress.
pub(crate) struct Stream {
    pub(crate) runner: Child,
    events: Receiver<Value>,
}

impl Stream {
    pub(crate) fn begin(mut command: Command) -> Stream {
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut runner = command.env("WORKBOOK_PATIENCE", "600").spawn().expect("start it");
        let lines = BufReader::new(runner.stdout.take().expect("its output")).lines();
        let (tell, events) = mpsc::channel();
        // A line that doesn't fit the schema ends the thread, which makes the test fail.
        thread::spawn(move || {
            for line in lines {
                let _ = tell.send(event(&line.expect("a line in UTF-8")));
            }
        });
        Stream { runner, events }
    }

    /// Returns the next event, or `None` if there are no more.
    pub(crate) fn next(&self) -> Option<Value> {
        match self.events.recv_timeout(LIMIT) {
            Ok(event) => Some(event),
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("nothing more is told"),
        }
    }

    /// Returns the events up to and including the next event with this name.
    #[track_caller]
    pub(crate) fn up_to(&self, wanted: &str) -> Vec<Value> {
        let mut events = Vec::new();
        while let Some(event) = self.next() {
            let is_it = name(&event) == wanted;
            events.push(event);
            if is_it {
                return events;
            }
        }
        panic!("no {wanted} among {events:?}");
    }

    /// Returns the next verdict with this outcome, skipping other verdicts. If two files are
    /// written one after the other, there can be a separate verdict after the first.
    #[track_caller]
    pub(crate) fn verdict(&self, outcome: &str) -> Value {
        loop {
            let verdict = self.up_to("verdict").pop().expect("a verdict");
            if verdict["outcome"] == outcome {
                return verdict;
            }
        }
    }

    /// Sends a signal to the command and returns its exit code.
    pub(crate) fn end(mut self, signal: Signal) -> Option<i32> {
        kill_process(Pid::from_child(&self.runner), signal).expect("send the signal");
        self.runner.wait().expect("wait for it").code()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // A failing test shouldn't leave a process behind.
        if let Ok(None) = self.runner.try_wait() {
            let _ = kill_process(Pid::from_child(&self.runner), Signal::TERM);
            let _ = self.runner.wait();
        }
    }
}
