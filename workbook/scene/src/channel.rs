//! The channel to the runner: a pipe that we receive as standard input and move to a high
//! descriptor.
//!
//! A scene should start like any other program, with only descriptors 0, 1 and 2 open. So this
//! module moves the pipe to a high number that no scene uses, makes the pipe close-on-exec, and
//! opens `/dev/null` as standard input.
//!
//! A scene that's started by hand, or under strace, has no such pipe and prints its transcript and
//! its faults instead.

use std::fs::File;
use std::io::{self, Write, stdin};
use std::os::fd::AsFd;
use std::sync::{Mutex, OnceLock, PoisonError};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{Resource, getrlimit};
use rustix::stdio::dup2_stdin;

use crate::moments::Quiet;
use crate::record::Record;

/// The environment variable that's set if a scene's standard input is the pipe to the runner. The
/// variable's value differs from run to run.
pub const RECORDS_ON_STDIN: &str = "WORKBOOK_RECORDS_ON_STDIN";

/// The lines of the current program, while a trial runs all its programs. Sending each line
/// separately would take longer than running most programs.
static LINES: Mutex<Option<String>> = Mutex::new(None);

/// The pipe to the runner, if there's a runner.
static RUNNER: OnceLock<Mutex<File>> = OnceLock::new();

/// The first descriptor that's too large for select(2). A scene of step 03 opens this descriptor or
/// a larger one.
const SELECT_LIMIT: u64 = 1024;
/// The distance below the limit at which we start looking for a free descriptor.
const MARGIN: u64 = 16;

/// Moves the runner's pipe to a high descriptor, if standard input is that pipe.
pub(crate) fn open_to_the_runner() -> io::Result<()> {
    if std::env::var_os(RECORDS_ON_STDIN).is_none() {
        return Ok(());
    }
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(SELECT_LIMIT).min(SELECT_LIMIT);
    let lowest = i32::try_from(limit.saturating_sub(MARGIN)).unwrap_or(0);
    let pipe = fcntl_dupfd_cloexec(stdin(), lowest)?;
    // If the runner ended before we asked for a signal at its end, we never receive that signal. So
    // check whether the pipe still has a reader.
    if is_broken(&pipe)? {
        return Err(io::Error::new(io::ErrorKind::BrokenPipe, "it has ended"));
    }
    dup2_stdin(File::open("/dev/null")?)?;
    let _ = RUNNER.set(Mutex::new(File::from(pipe)));
    Ok(())
}

/// Returns true if a pipe has no reader any more.
fn is_broken(pipe: &impl AsFd) -> io::Result<bool> {
    // The kernel reports a closed pipe even if no events are requested.
    let mut fds = [PollFd::new(pipe, PollFlags::empty())];
    poll(&mut fds, Some(&Timespec::default()))?;
    Ok(fds[0].revents().contains(PollFlags::ERR))
}

/// Returns true if a runner reads our records.
pub(crate) fn has_a_runner() -> bool {
    RUNNER.get().is_some()
}

/// Collects the transcript's lines from now on, instead of sending them.
pub(crate) fn collect_lines() {
    *LINES.lock().unwrap_or_else(PoisonError::into_inner) = Some(String::new());
}

/// Removes and returns the lines that were collected since the last call.
pub(crate) fn take_lines() -> String {
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    lines.as_mut().map(std::mem::take).unwrap_or_default()
}

/// Sends a record to the runner. Without a runner, prints the record if it's a line of the
/// transcript or a fault that std doesn't print itself. While lines are being collected, a line is
/// only added to them.
///
/// Fails if either end of the pipe is closed, or if printing fails.
pub(crate) fn send(record: &Record) -> io::Result<()> {
    if let Record::Line(line) = record
        && let Some(lines) = LINES.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
    {
        lines.push_str(line);
        lines.push('\n');
        return Ok(());
    }
    match RUNNER.get() {
        Some(pipe) => {
            let _quiet = Quiet::begin();
            let mut pipe = pipe.lock().unwrap_or_else(PoisonError::into_inner);
            pipe.write_all(&record.encoded())
        }
        None => print(record),
    }
}

fn print(record: &Record) -> io::Result<()> {
    match record {
        Record::Line(line) => writeln!(io::stdout(), "{line}"),
        Record::Error(error) => writeln!(io::stderr(), "error: {error}"),
        Record::Leaked(kind) => writeln!(io::stderr(), "error: leaks a descriptor: {kind}"),
        Record::Closed(which) => {
            writeln!(io::stderr(), "error: closes a descriptor that it didn't open: {which}")
        }
        // std itself prints a panic, and the end of a scene needs no message.
        Record::Program(_)
        | Record::Panic(_)
        | Record::HookReplaced
        | Record::Moment(_)
        | Record::End => Ok(()),
    }
}
