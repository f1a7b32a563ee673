//! A loop's trace as text, a few lines per tick.
//!
//! ```text
//! tick 4 at 0.1 s: could sleep forever; slept 0.1 s
//!   story  0.1 s: Ann sends "search whale"
//!   found  stream (read)
//!   ran    step of client 1, 0.8 s
//! ```

use std::panic::Location;
use std::path::Path;
use std::time::Duration;

use asyncio::{EventSource, Interest, Ran, TickTrace, Time, TracedEvent, TracedRun, WhyTimeout};

/// Returns a description of a tick in several lines, including the clients' events since the
/// previous tick.
pub(crate) fn described(tick: &TickTrace, news: &[(Time, String)]) -> String {
    let began = seconds(tick.began - Time::ZERO);
    let mut text = format!("tick {} at {began} s: {}\n", tick.number, sleep(tick));
    text += &story(news);
    text += &line("found", tick.events.iter().map(event).collect());
    text += &line("due", tick.due.iter().map(due).collect());
    if tick.ran.is_empty() {
        text += "  ran    nothing\n";
    }
    text += &line("ran", tick.ran.iter().map(ran).collect());
    text
}

/// Returns a description of the clients' events, one per line.
pub(crate) fn story(news: &[(Time, String)]) -> String {
    let lines = news.iter().map(|(at, what)| {
        let at = seconds(*at - Time::ZERO);
        line("story", vec![format!("{at} s: {what}")])
    });
    lines.collect()
}

fn line(title: &str, items: Vec<String>) -> String {
    if items.is_empty() {
        return String::new();
    }
    format!("  {title:<5}  {}\n", items.join("; "))
}

fn sleep(tick: &TickTrace) -> String {
    let slept = seconds(tick.slept);
    match (tick.why, tick.timeout) {
        (WhyTimeout::Ready, _) => "doesn't sleep, there's work".to_owned(),
        (WhyTimeout::Stopping, _) => "doesn't sleep, it should stop".to_owned(),
        (_, Some(timeout)) => {
            format!("could sleep {} s, until a timer; slept {slept} s", seconds(timeout))
        }
        (_, None) => format!("could sleep forever; slept {slept} s"),
    }
}

fn event(event: &TracedEvent) -> String {
    let source = match event.source {
        EventSource::Wakeup => "wakeup",
        EventSource::Callbacks { .. } => "reader",
        EventSource::Stream => "stream",
    };
    let directions = [(Interest::READABLE, "read"), (Interest::WRITABLE, "write")];
    let ready = directions.iter().filter(|(direction, _)| event.ready.contains(*direction));
    let ready: Vec<&str> = ready.map(|(_, name)| *name).collect();
    format!("{source} ({})", ready.join(", "))
}

fn due(timer: &Ran) -> String {
    match timer {
        Ran::Callback(at) => format!("timer of {}", place(at)),
        _ => "a task's sleep".to_owned(),
    }
}

fn ran(run: &TracedRun) -> String {
    let what = match &run.what {
        Ran::Callback(at) => format!("callback of {}", place(at)),
        Ran::Step(task) => format!("step of {}", task.name()),
        _ => "wake-up of a sleeping task".to_owned(),
    };
    if run.took.is_zero() { what } else { format!("{what}, {} s", seconds(run.took)) }
}

/// Formats a place in a server's file as the file's name and the line. For a place in the files of
/// the loop or the library, the file's name is enough.
fn place(at: &Location<'_>) -> String {
    let name = Path::new(at.file()).file_name().unwrap_or_default().to_string_lossy();
    let is_the_loops = ["step0", "asyncio/"].iter().any(|it| at.file().contains(it));
    if is_the_loops { name.into_owned() } else { format!("{name}:{}", at.line()) }
}

/// Formats a duration as a number of seconds with as few digits as possible.
pub(crate) fn seconds(duration: Duration) -> String {
    format!("{}", duration.as_secs_f64())
}
