//! Runs one script on three backends and compares their lines.

use std::fmt::Display;
use std::io;

use scene::{Transcript, say};
use step03_selector::{ReadyEvent, SelectorKey};

/// The lines of one backend. epoll's lines go straight into the transcript, and we only compare the
/// other backends' lines with them.
pub(crate) struct Log {
    transcript: Option<Transcript>,
    lines: Vec<String>,
}

impl Log {
    pub(crate) fn say(&mut self, line: impl Display) {
        if let Some(transcript) = self.transcript {
            transcript.say(&line);
        }
        self.lines.push(line.to_string());
    }
}

/// Runs a script (a function of a selector and a log) on epoll, on poll(2) and on select(2).
macro_rules! play_on_all {
    ($transcript:expr, $script:expr) => {
        $crate::scenes::backends::play_and_compare(
            $transcript,
            |log| $script(&mut ::step03_selector::EpollSelector::new()?, log),
            |log| $script(&mut ::step03_selector::PollSelector::new(), log),
            |log| $script(&mut ::step03_selector::SelectSelector::new(), log),
        )
    };
}
pub(crate) use play_on_all;

pub(crate) fn play_and_compare(
    t: Transcript,
    first: impl FnOnce(&mut Log) -> anyhow::Result<()>,
    second: impl FnOnce(&mut Log) -> anyhow::Result<()>,
    third: impl FnOnce(&mut Log) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut epoll = Log { transcript: Some(t), lines: Vec::new() };
    first(&mut epoll)?;
    let mut poll = Log { transcript: None, lines: Vec::new() };
    second(&mut poll)?;
    compare(t, "poll(2)", &poll.lines, &epoll.lines);
    let mut select = Log { transcript: None, lines: Vec::new() };
    third(&mut select)?;
    compare(t, "select(2)", &select.lines, &epoll.lines);
    Ok(())
}

/// Says whether a backend's lines are the same as epoll's, and which of them differ.
fn compare(t: Transcript, backend: &str, lines: &[String], epoll: &[String]) {
    let same = if lines == epoll { "the same lines" } else { "other lines" };
    say!(t, "on {backend}: {}", same);
    for (line, _) in lines.iter().zip(epoll).filter(|(line, epoll)| line != epoll) {
        say!(t, "  {line}");
    }
}

/// Describes a key: `reader (READABLE)`.
pub(crate) fn key(key: Option<&SelectorKey<&'static str>>) -> String {
    match key {
        Some(key) => format!("{} ({:?})", key.data, key.interest),
        None => "none".to_string(),
    }
}

/// Describes the outcome of a registration.
pub(crate) fn registered(result: io::Result<()>) -> String {
    outcome(result, |()| "registered".to_string())
}

/// Describes the outcome of a modify or an unregister: the key that it returned, or an error.
pub(crate) fn handed_back(result: io::Result<SelectorKey<&'static str>>) -> String {
    outcome(result, |it| key(Some(&it)))
}

fn outcome<T>(result: io::Result<T>, done: impl FnOnce(T) -> String) -> String {
    match result {
        Ok(value) => done(value),
        Err(error) => format!("{:?}", error.kind()),
    }
}

/// Lists the ready descriptors with their directions, in alphabetical order, because each backend
/// reports them in its own order.
pub(crate) fn ready(ready: &[ReadyEvent<&'static str>]) -> String {
    sorted(ready.iter().map(|it| format!("[{} {}]", it.data, directions(it))))
}

/// Describes the directions that are ready and the directions that are also closed.
pub(crate) fn directions(ready: &ReadyEvent<&'static str>) -> String {
    let mut words = format!("{:?}", ready.interest);
    if ready.read_closed {
        words += ", read closed";
    }
    if ready.write_closed {
        words += ", write closed";
    }
    words
}

/// Lists the ready descriptors without their closed directions, which CPython doesn't report.
pub(crate) fn in_short(ready: &[ReadyEvent<&'static str>]) -> String {
    sorted(ready.iter().map(|it| format!("[{} {:?}]", it.data, it.interest)))
}

fn sorted(words: impl Iterator<Item = String>) -> String {
    let mut words: Vec<_> = words.collect();
    words.sort();
    if words.is_empty() { "nothing".to_string() } else { words.join(", ") }
}
