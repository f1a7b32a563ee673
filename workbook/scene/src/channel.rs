//! The way to the runner: a pipe that arrives as standard input and is moved out of the scene's way.
//!
//! A scene's descriptors should look as a program's usually do, with 0, 1 and 2 open and nothing
//! above them. So the pipe moves up, close-on-exec, to a high number that no scene gets to, and
//! standard input becomes `/dev/null`.
//!
//! A scene started by hand, or under strace, has no such pipe. It prints instead.

use std::fs::File;
use std::io::{self, Write, stdin};
use std::sync::{Mutex, OnceLock, PoisonError};

use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{Resource, getrlimit};
use rustix::stdio::dup2_stdin;

use crate::record::Record;

/// Set in the environment of a scene whose standard input is the pipe to the runner.
pub const RECORDS_ON_STDIN: &str = "WORKBOOK_RECORDS_ON_STDIN";

/// The pipe to the runner; empty if there is none.
static RUNNER: OnceLock<Mutex<File>> = OnceLock::new();

/// select(2) knows no descriptor from this one on, and some scenes want those for themselves.
const SELECT_LIMIT: u64 = 1024;
/// So far below the limit the search for a free descriptor begins.
const MARGIN: u64 = 16;

/// Moves the runner's pipe out of the way, if standard input is it.
pub(crate) fn open_to_the_runner() -> io::Result<()> {
    if std::env::var_os(RECORDS_ON_STDIN).is_none() {
        return Ok(());
    }
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(SELECT_LIMIT).min(SELECT_LIMIT);
    let lowest = i32::try_from(limit.saturating_sub(MARGIN)).unwrap_or(0);
    let pipe = fcntl_dupfd_cloexec(stdin(), lowest)?;
    dup2_stdin(File::open("/dev/null")?)?;
    let _ = RUNNER.set(Mutex::new(File::from(pipe)));
    Ok(())
}

/// Returns true if a runner reads our records.
pub(crate) fn has_a_runner() -> bool {
    RUNNER.get().is_some()
}

/// Sends a record to the runner, or prints it where there is none.
///
/// Fails if the pipe was closed, at either end.
pub(crate) fn send(record: &Record) -> io::Result<()> {
    match RUNNER.get() {
        Some(pipe) => {
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
        // std's own message says it all.
        Record::Panic(_) | Record::End => Ok(()),
    }
}
