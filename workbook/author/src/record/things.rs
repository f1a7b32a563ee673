//! Names for the tasks and callbacks that a queue runs. Where possible, a name comes from the
//! scene's own lines, so that a reader can find it there.

use std::path::Path;

use judging::workbook::read;

use super::source::Source;

/// The separator between the entries in a list from the layers.
pub(super) const NEXT: char = '\u{1f}';
/// The separator between the parts of an entry.
const PART: char = '\u{1e}';

/// The calls, as they occur in a line, that create a callback. A name comes before the shorter
/// names that it contains.
const MAKERS: [&str; 9] = [
    "call_soon_threadsafe",
    "call_soon",
    "call_later",
    "call_at",
    "add_reader",
    "add_writer",
    "add_signal_handler",
    "add_done_callback",
    "add_timer",
];

/// The name for entries that other threads have sent and that the queue hasn't taken yet.
pub(super) const INBOX: &str = "what's in the inbox";

/// Callbacks that a layer creates for itself, with the functions that create them.
const OF_THE_LOOP: [(&str, &str); 3] = [
    ("send", "a callback from the inbox"),
    ("run_until_done", "run_until_complete's callback"),
    ("handle_wakeup", "the self-pipe's callback"),
];

/// The places where tasks and callbacks were created: the scene's own file and the layers' files.
pub(super) struct Things<'a> {
    pub(super) source: &'a Source,
    pub(super) root: &'a Path,
}

/// A task or a callback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Thing {
    /// The name that a reader sees.
    pub(super) name: String,
    /// The line in the scene's file that created the task or the callback.
    pub(super) line: Option<usize>,
    pub(super) is_task: bool,
}

impl Thing {
    fn without_a_line(name: String) -> Self {
        Thing { name, line: None, is_task: false }
    }

    /// Creates the entry for the wake-up of a task whose timer is due.
    pub(super) fn of_a_wake(task: Option<&String>) -> Self {
        let name =
            task.map_or_else(|| "a timer's wake".to_owned(), |task| format!("wake of {task}"));
        Thing::without_a_line(name)
    }

    pub(super) fn names(things: &[Thing]) -> Vec<String> {
        things.iter().map(|thing| thing.name.clone()).collect()
    }
}

impl Things<'_> {
    /// Returns a task or callback with the name that a reader sees. `told` is the layers'
    /// description, such as `task Task-1` or `callback`, with the place where the task or callback
    /// was created.
    pub(super) fn named(&self, told: &str) -> Thing {
        let (what, at) = told.split_once(PART).unwrap_or((told, ""));
        match what {
            "inbox" => return Thing::without_a_line(INBOX.to_owned()),
            "sleep" | "wake" => return Thing::without_a_line(what.to_owned()),
            _ => {}
        }
        let (file, line) = at.rsplit_once(':').unwrap_or_default();
        let line: usize = line.parse().unwrap_or(0);
        let is_here =
            file.rsplit_once("experiments/scenes/").is_some_and(|it| it.1 == self.source.name);
        let task = what.strip_prefix("task ");
        let name = match task {
            Some(name) => self.task(name, is_here.then_some(line)),
            None if is_here => format!("{}, line {line}", made_by(self.source.line(line))),
            None => self.of_a_layer(file, line),
        };
        Thing { name, line: is_here.then_some(line), is_task: task.is_some() }
    }

    /// Returns a task's name. If the name is a default name and the line that created the task
    /// names the coroutine, the coroutine's name follows: `Task-1 (main)`.
    fn task(&self, name: &str, line: Option<usize>) -> String {
        let coroutine = line.and_then(|line| coroutine_in(self.source.line(line)));
        match coroutine {
            Some(coroutine) if name.starts_with("Task-") => format!("{name} ({coroutine})"),
            _ if name.starts_with("Task-") => name.to_owned(),
            _ => format!("task {name}"),
        }
    }

    /// Returns the name of a callback that a layer creates for itself.
    fn of_a_layer(&self, file: &str, line: usize) -> String {
        let function = self.function(file, line);
        let known = OF_THE_LOOP.iter().find(|(name, _)| *name == function);
        known.map_or_else(
            || format!("a callback of {function} ({})", file_name(file)),
            |(_, called)| (*called).to_owned(),
        )
    }

    /// Returns the name of the function that contains a line of a layer's file.
    fn function(&self, file: &str, line: usize) -> String {
        let text = read(&self.root.join(file)).unwrap_or_default();
        let lines: Vec<&str> = text.lines().take(line).collect();
        let name = |line: &&str| {
            let (before, after) = line.split_once("fn ")?;
            let is_declared = before.chars().all(|it| it.is_alphabetic() || " ()".contains(it));
            let end = after.find(|it: char| !it.is_alphanumeric() && it != '_')?;
            is_declared.then(|| after[..end].to_owned())
        };
        let found = lines.iter().rev().find_map(name);
        found.unwrap_or_else(|| "the loop".to_owned())
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns the name of the call with which a line creates a callback.
fn made_by(line: &str) -> &'static str {
    MAKERS.into_iter().find(|maker| line.contains(maker)).unwrap_or("callback")
}

/// Returns the coroutine's name in a line such as `event_loop.create_task(main(t));`.
fn coroutine_in(line: &str) -> Option<String> {
    let makers = ["create_task(", "run_until_complete(", "run(", "ensure_future("];
    let after = makers.iter().find_map(|maker| Some(line.split_once(maker)?.1))?;
    let end = after.find(|it: char| !it.is_alphanumeric() && it != '_')?;
    let name = &after[..end];
    (after[end..].starts_with('(') && !name.is_empty()).then(|| name.to_owned())
}
