//! A command's messages to other programs. Each line is checked against `EVENTS.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// The maximum time for a verdict on a busy machine, including compilation.
const LIMIT: Duration = Duration::from_mins(4);

/// What's between backticks in `EVENTS.md`: the events, their keys, and the words that some values
/// are, with quotation marks.
static DESCRIBED: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let workbook = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workbook");
    let text = fs::read_to_string(workbook.join("EVENTS.md")).expect("the description");
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
});

/// The keys whose values are one of a few words, with which another program compares them.
const OF_A_FEW_WORDS: [&str; 7] = ["judged", "kind", "level", "outcome", "side", "state", "whose"];

/// The keys of each kind of object, as a test first saw them. A kind is named by its event and the
/// keys that lead to it.
static KEYS: Mutex<BTreeMap<String, BTreeSet<String>>> = Mutex::new(BTreeMap::new());

/// The only kind of object without some of its keys when there's nothing to say.
const WITH_OPTIONAL_KEYS: &str = "grades/notebooks/steps";

/// Parses a line as an event. Panics unless `EVENTS.md` describes it.
#[track_caller]
pub(crate) fn event(line: &str) -> Value {
    let event: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    assert_eq!(event["format"], 1, "{line}");
    assert!(DESCRIBED.contains(name(&event)), "this event isn't described: {line}");
    assert_described(&event, name(&event));
    event
}

/// Panics unless part of an event has its described keys, words and texts. `at` names its kind.
#[track_caller]
fn assert_described(part: &Value, at: &str) {
    match part {
        Value::Object(fields) => {
            if at != WITH_OPTIONAL_KEYS {
                let keys: BTreeSet<String> = fields.keys().cloned().collect();
                let mut all = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
                let before = all.entry(at.to_owned()).or_insert_with(|| keys.clone());
                assert_eq!(*before, keys, "{at}: a key is always there");
            }
            for (key, value) in fields {
                let is_said_of_all = ["format", "event"].contains(&key.as_str());
                assert!(is_said_of_all || DESCRIBED.contains(key), "{at}: {key} isn't described");
                let is_described = || DESCRIBED.contains(&value.to_string());
                let is_a_word = OF_A_FEW_WORDS.contains(&key.as_str());
                assert!(!is_a_word || is_described(), "{at}: {value} isn't described");
                // `workbook.d.ts` describes the contents of a recording.
                if key != "recording" {
                    assert_described(value, &format!("{at}/{key}"));
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| assert_described(item, at)),
        Value::String(text) => {
            let is_odd = |it: char| it.is_control() && !"\n\t".contains(it);
            assert!(!text.contains(is_odd), "{at}: a colour or a control character: {text:?}");
        }
        _ => (),
    }
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
        // A line that isn't described ends the thread, which makes the test fail.
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
