//! What can go wrong when a scene is played, each with a sentence of its own.

use std::fmt;
use std::time::Duration;

use scene::record::Panic;

/// Why a performance is not clean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A `todo!` was reached.
    NotWritten(Panic),
    /// A thread panicked.
    Panicked(Panic),
    /// The scene ended with an error.
    Error(String),
    /// It was still running after all the time it was given, and used the processor.
    Busy {
        /// How long it was watched.
        waited: Duration,
        /// The processor time it used.
        processor: Duration,
    },
    /// It was still there after all the time it was given, and did nothing.
    Asleep {
        /// How long it was watched.
        waited: Duration,
        /// What its threads were waiting for; empty if the kernel did not tell.
        calls: Vec<String>,
    },
    /// It printed so much that it was stopped.
    Flood {
        /// How much it was allowed to print.
        mebibytes: u64,
    },
    /// It said more lines than any scene says.
    LongTranscript {
        /// How much of it was kept.
        kibibytes: u64,
    },
    /// A signal ended it.
    Killed {
        /// The signal's number.
        signal: i32,
    },
    /// A descriptor was closed by two owners.
    ClosedTwice,
    /// It ran out of stack.
    StackOverflow,
    /// It ended, but not at the scene's end.
    Exited {
        /// The exit code.
        code: i32,
    },
    /// It left descriptors open; their kinds.
    Leaks(Vec<String>),
    /// It closed descriptors that it was started with; their numbers and kinds.
    ClosesOthers(Vec<String>),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NotWritten(panic) => write!(f, "not written yet: {}", NotWritten(panic)),
            Fault::Panicked(panic) => write_panic(f, panic),
            Fault::Error(error) => write!(f, "ended with an error: {error}"),
            Fault::Busy { waited, processor } => write!(
                f,
                "busy for {} ({:.1} s of processor time) without an end",
                Seconds(*waited),
                processor.as_secs_f32()
            ),
            Fault::Asleep { waited, calls } => write_asleep(f, *waited, calls),
            Fault::Flood { mebibytes } => {
                write!(f, "printed more than {mebibytes} MiB: stopped, and the output cut")
            }
            Fault::LongTranscript { kibibytes } => {
                write!(f, "its transcript is longer than {kibibytes} KiB: cut")
            }
            Fault::Killed { signal } => write_signal(f, *signal),
            Fault::ClosedTwice => f.write_str(
                "closes a descriptor twice: two owners had the same number, and the second closed \
                 what was no longer open (std checks this, and aborts)",
            ),
            Fault::StackOverflow => {
                f.write_str("overflowed its stack: a function calls itself without an end")
            }
            Fault::Exited { code } => {
                write!(f, "ended the process (exit code {code}) before the scene's end")
            }
            Fault::Leaks(kinds) => write!(f, "leaks {}", descriptors(kinds)),
            Fault::ClosesOthers(which) => {
                write!(f, "closes {} that it did not open", descriptors(which))
            }
        }
    }
}

/// The panic of a `todo!`, without std's preamble.
struct NotWritten<'a>(&'a Panic);

impl fmt::Display for NotWritten<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Panic { file, line, message, .. } = self.0;
        let task = message.strip_prefix("not yet implemented: ");
        match task {
            Some(task) => write!(f, "{task} ({file}:{line})"),
            None => write!(f, "todo! at {file}:{line}"),
        }
    }
}

fn write_panic(f: &mut fmt::Formatter<'_>, panic: &Panic) -> fmt::Result {
    let Panic { thread, file, line, message } = panic;
    match thread.as_str() {
        "main" => f.write_str("panicked")?,
        "unnamed" => f.write_str("a thread panicked")?,
        thread => write!(f, "thread {thread} panicked")?,
    }
    write!(f, " at {file}:{line}: {message}")
}

fn write_asleep(f: &mut fmt::Formatter<'_>, waited: Duration, calls: &[String]) -> fmt::Result {
    write!(f, "asleep for {}", Seconds(waited))?;
    match calls {
        [] => f.write_str(" without an end"),
        [call] => write!(f, " in {call}"),
        [call, others @ ..] => write!(f, " in {call}; other threads in {}", others.join("; in ")),
    }
}

fn write_signal(f: &mut fmt::Formatter<'_>, signal: i32) -> fmt::Result {
    match signal {
        libc::SIGSEGV => f.write_str("crashed (SIGSEGV): it used memory that is not its own"),
        libc::SIGBUS => f.write_str("crashed (SIGBUS): it used memory that has nothing behind it"),
        libc::SIGILL => f.write_str("crashed (SIGILL): the processor met what it cannot execute"),
        libc::SIGABRT => f.write_str("aborted (SIGABRT)"),
        libc::SIGPIPE => f.write_str(
            "killed by SIGPIPE: it wrote where nobody reads, with the signal not ignored",
        ),
        libc::SIGKILL => f.write_str("killed (SIGKILL), by somebody else or for want of memory"),
        other => write!(f, "killed by {}", signal_name(other)),
    }
}

fn signal_name(signal: i32) -> String {
    let named = signal_hook::low_level::signal_name(signal);
    named.map_or_else(|| format!("signal {signal}"), str::to_owned)
}

fn descriptors(which: &[String]) -> String {
    let noun = if which.len() == 1 { "a descriptor" } else { "descriptors" };
    format!("{noun}: {}", which.join(", "))
}

/// Seconds as one says them: `5 s`, `0.5 s`.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.subsec_millis() == 0 {
            write!(f, "{} s", self.0.as_secs())
        } else {
            write!(f, "{:.1} s", self.0.as_secs_f32())
        }
    }
}
