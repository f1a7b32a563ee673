//! One script, two backends, one transcript.

use std::fmt::Display;
use std::io;

use step03_selector::{Ready, SelectorKey};
use workbook::{Transcript, say};

/// What the backend that plays says. epoll's lines go into the transcript as they come; those of
/// poll(2) are kept, to be compared.
pub(crate) struct Log<'t> {
    transcript: Option<&'t mut Transcript>,
    lines: Vec<String>,
}

impl Log<'_> {
    pub(crate) fn say(&mut self, line: impl Display) {
        if let Some(transcript) = &mut self.transcript {
            transcript.say(&line);
        }
        self.lines.push(line.to_string());
    }
}

/// Plays a script on epoll and then on poll(2), which has to tell the same.
pub(crate) fn play_both(
    t: &mut Transcript,
    on_epoll: impl FnOnce(&mut Log) -> anyhow::Result<()>,
    then_on_poll: impl FnOnce(&mut Log) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut epoll = Log { transcript: Some(t), lines: Vec::new() };
    on_epoll(&mut epoll)?;
    let epoll = epoll.lines;
    let mut poll = Log { transcript: None, lines: Vec::new() };
    then_on_poll(&mut poll)?;
    say!(t, "poll(2) tells the same: {}", poll.lines == epoll);
    if poll.lines != epoll {
        for line in poll.lines {
            say!(t, "  {line}");
        }
    }
    Ok(())
}

/// A key in words: `reader (READABLE)`.
pub(crate) fn key(key: Option<&SelectorKey<&'static str>>) -> String {
    match key {
        Some(key) => format!("{} ({:?})", key.data, key.interest),
        None => "nothing".to_string(),
    }
}

/// What a registration, modification or the end of one came to.
pub(crate) fn outcome<T>(result: io::Result<T>, done: impl FnOnce(T) -> String) -> String {
    match result {
        Ok(value) => done(value),
        Err(error) => format!("{:?}", error.kind()),
    }
}

/// What is ready, by name, in alphabetical order: backends have orders of their own.
pub(crate) fn ready(ready: &[Ready<&'static str>]) -> String {
    let mut words: Vec<_> = ready.iter().map(one).collect();
    words.sort();
    if words.is_empty() { "nothing".to_string() } else { words.join(", ") }
}

fn one(ready: &Ready<&'static str>) -> String {
    let mut word = format!("{} {:?}", ready.data, ready.interest);
    if ready.read_closed {
        word += ", nothing more to come";
    }
    if ready.write_closed {
        word += ", nobody to write to";
    }
    format!("[{word}]")
}
