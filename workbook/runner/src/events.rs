//! Messages for other programs, as lines of JSON. `workbook/EVENTS.md` describes them.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};

use crate::account::{Account, Red};
use crate::arguments::Form;
use crate::chapter::Chapter;
use crate::class;
use crate::diff::{Difference, Side};
use crate::json::Json;
use crate::object;
use crate::part::{exercise, minutes_left};
use crate::reading::chosen;
use judging::cargo::Messages;
use judging::diagnostics::{Place, Problem};
use judging::judge::Judgement;
use judging::notebook::Notebook;
use judging::notebook::page::Page;
use judging::run::end_all_and_exit;
use judging::terminal::{Terminal, shown};

/// The version of the format that `EVENTS.md` promises.
const FORMAT: u32 = 1;

/// True once `begin` has started a stream. From then on, the event `end` reports a failure.
static IS_A_STREAM: AtomicBool = AtomicBool::new(false);

/// Returns an event as a line of JSON.
pub fn line(event: &str, fields: Json) -> String {
    format!("{}\n", object! { format: FORMAT, event: event }.and(fields))
}

/// Sends an event.
pub fn tell(event: &str, fields: Json) {
    Terminal::of_stdout().print(&line(event, fields));
}

/// Returns where the compiler's messages go: to the reader or to another program. If they go to
/// another program, also reports that the compiler is starting.
pub(crate) fn compiling(form: Form, package: &str) -> Messages {
    if form != Form::Json {
        return Messages::Shown;
    }
    tell("compiling", object! { package: package });
    Messages::Told(problem)
}

/// Returns true if a line is a judgement's last event.
pub(crate) fn is_a_verdict(line: &str) -> bool {
    ["verdict", "error", "not_judged"].iter().any(|event| {
        let begins = object! { format: FORMAT, event: *event }.to_string();
        line.starts_with(begins.trim_end_matches('}'))
    })
}

/// Starts a stream. The process exits once no program reads the stream any more.
pub(crate) fn begin(command: &str, package: &str) {
    IS_A_STREAM.store(true, Ordering::Relaxed);
    thread::spawn(end_once_closed);
    tell(
        "begin",
        object! {
            command: command,
            package: package,
            workbook: env!("CARGO_PKG_VERSION"),
            directory: here(),
        },
    );
}

/// Returns the directory that file names are relative to.
fn here() -> Option<String> {
    Some(std::env::current_dir().ok()?.display().to_string())
}

/// Waits until the other end of standard output is closed. Then stops the processes that this
/// process has started and exits, as on a SIGTERM.
fn end_once_closed() {
    let out = io::stdout();
    loop {
        // The kernel reports a closed pipe even if no events are requested.
        let mut fds = [PollFd::new(&out, PollFlags::empty())];
        match poll(&mut fds, None) {
            Ok(_) => end_all_and_exit(128 + libc::SIGTERM),
            Err(rustix::io::Errno::INTR) => (),
            Err(_) => return,
        }
    }
}

/// Ends a stream. If the command has failed, `words` is the reason.
pub(crate) fn end(words: Option<&str>) {
    tell("end", object! { ok: words.is_none(), words: words });
}

/// Reports that a page can't be judged on this machine.
pub(crate) fn not_judged(words: &str) {
    tell("not_judged", object! { words: words });
    if IS_A_STREAM.load(Ordering::Relaxed) {
        end(Some(words));
    }
}

/// Reports that the command has failed.
pub(crate) fn failed(words: &str) {
    if IS_A_STREAM.load(Ordering::Relaxed) {
        end(Some(words));
    } else {
        tell("error", object! { words: words });
    }
}

/// Reports an error or a warning from the compiler.
pub(crate) fn problem(problem: &Problem) {
    let span = problem.place.as_ref();
    tell(
        "problem",
        object! {
            level: &problem.level,
            code: problem.code.as_ref(),
            message: &problem.message,
            file: span.map(|span| &span.begin.file),
            line: span.and_then(|span| span.begin.line),
            column: span.map(|span| span.column),
            end_line: span.map(|span| span.end_line),
            end_column: span.map(|span| span.end_column),
            rendered: &problem.rendered,
        },
    );
}

/// Reports which files have changed.
pub(crate) fn saved(files: &[impl AsRef<Path>]) {
    tell(
        "saved",
        object! { files: files.iter().map(|file| shown(file.as_ref())).collect::<Vec<_>>() },
    );
}

/// Reports the verdict on a page.
pub(crate) fn verdict(
    page: &Page,
    judgement: &Judgement,
    account: &Account,
    seconds: f64,
) -> anyhow::Result<()> {
    let chapter = Chapter::of(&page.notebook.workbook, page.step.package);
    let exercises: anyhow::Result<Vec<Json>> = judgement
        .exercises
        .iter()
        .map(|it| exercise(&page.notebook, &chapter, page.step.package, Some(page), it))
        .collect();
    let newly_green: Vec<&str> = judgement.newly_green().map(|it| &*it.number).collect();
    let place = account.place.as_ref();
    tell(
        "verdict",
        object! {
            package: page.step.package,
            outcome: account.outcome.words(),
            words: &account.words,
            exercise: account.exercise.map(|it| &it.number),
            file: place.map(|it| &it.file),
            line: place.and_then(|it| it.line),
            exercises: exercises?,
            newly_green: newly_green,
            minutes_left: minutes_left(&judgement.exercises),
            path: path(&page.notebook),
            red: account.red.as_ref(),
            next: Json::list(&account.next),
            seconds: seconds,
        },
    );
    Ok(())
}

/// Reports the parts of the workbook and what to do next.
pub fn list(notebook: &Notebook, parts: Json, next: Json) {
    tell(
        "list",
        object! {
            directory: here(),
            workbook: env!("CARGO_PKG_VERSION"),
            path: path(notebook),
            ends: chosen(notebook).ok().and_then(|path| path.ends),
            class: class::told(notebook),
            parts: parts,
            next: next,
        },
    );
}

/// Returns the name of the reader's path.
fn path(notebook: &Notebook) -> String {
    notebook.choice().path.unwrap_or_else(|| "all".to_owned())
}

impl From<&Red> for Json {
    fn from(red: &Red) -> Json {
        let calls = red.calls.iter().map(|call| {
            object! {
                file: &call.place.file,
                line: call.place.line,
                function: &call.function,
                exercise: call.exercise,
                skipped: call.skipped,
            }
        });
        let printed = red.printed.iter().chain(&red.printed_more);
        let check = &red.check;
        object! {
            notes: Json::list(&red.notes),
            check: object! { kind: check.kind.word(), name: check.name, about: check.about },
            sentences: Json::list(&red.sentences),
            calls_title: (!red.calls.is_empty()).then_some(red.calls_title),
            calls: Json::list(calls),
            advice: red.advice,
            shortened: red.is_shortened(),
            difference: red.difference.as_ref(),
            printed: Json::list(printed),
            nudge: red.nudge,
        }
    }
}

impl From<&Difference> for Json {
    fn from(difference: &Difference) -> Json {
        let lines = difference.lines.iter().map(|(side, text)| {
            let side = match side {
                Side::Both => "both",
                Side::Expected => "expected",
                Side::Yours => "yours",
            };
            object! { side: side, text: text }
        });
        object! {
            skipped: difference.skipped,
            lines: Json::list(lines),
            folded: difference.folded,
            folded_different: difference.folded_different,
        }
    }
}

impl From<&Place> for Json {
    fn from(place: &Place) -> Json {
        object! { file: &place.file, line: place.line }
    }
}
