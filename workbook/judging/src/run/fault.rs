//! The possible faults in a run of a scene, each with a sentence that explains it.

use std::fmt;
use std::time::Duration;

use scene::record::Panic;

/// A problem that occurred in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "sandbox", derive(serde::Serialize, serde::Deserialize))]
pub enum Fault {
    /// The run reached a `todo!`.
    NotWritten(Panic),
    /// A thread panicked.
    Panicked(Panic),
    /// The scene ended with an error.
    Error(String),
    /// The scene was still using the processor when its time was up.
    Busy {
        /// How long we waited for the scene to end.
        waited: Duration,
        /// The processor time that the scene used.
        processor: Duration,
    },
    /// The scene was asleep when its time was up.
    Asleep {
        /// How long we waited for the scene to end.
        waited: Duration,
        /// The calls that the scene's threads were waiting in; empty if they aren't known.
        calls: Vec<String>,
    },
    /// The scene wasn't done when its time was up, and it kept falling asleep and waking up.
    Slow {
        /// How long we waited for the scene to end.
        waited: Duration,
        /// The calls that the scene's threads were waiting in; empty if they aren't known.
        calls: Vec<String>,
    },
    /// The scene's output and records exceeded the limit at which we kill a scene.
    Flood {
        /// The maximum output, in mebibytes.
        mebibytes: u64,
    },
    /// The scene's transcript was too long.
    LongTranscript {
        /// The maximum length of a transcript, in kibibytes.
        kibibytes: u64,
    },
    /// A signal ended the scene.
    Killed {
        /// The signal's number.
        signal: i32,
    },
    /// The scene aborted without printing anything first.
    SilentAbort,
    /// Two owners closed the same descriptor.
    ClosedTwice,
    /// A signal suspended the scene, and no signal resumed it.
    Stopped {
        /// How long we waited for the scene to end.
        waited: Duration,
    },
    /// The scene asked for more memory than was available or allowed.
    OutOfMemory,
    /// The scene started so many processes or threads that we killed them all.
    TooManyProcesses,
    /// The process exited as if after a panic but didn't report a panic.
    SilentPanic,
    /// The scene replaced our panic hook and didn't restore it.
    HookReplaced,
    /// The scene left processes behind outside its process group. Contains their names.
    LeftBehind(Vec<String>),
    /// The scene ran out of stack.
    StackOverflow,
    /// The process exited before the end of the scene, or with an exit code other than 0.
    Exited {
        /// The exit code.
        code: i32,
    },
    /// The process that runs the scene in a sandbox didn't send a whole report, because it was
    /// killed, was suspended or ran out of memory.
    NoReport,
    /// The scene left descriptors open. Contains their kinds.
    Leaks(Vec<String>),
    /// The scene closed descriptors that it hadn't opened. Contains their numbers and kinds.
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
                "busy for {} ({:.1} s of processor time) and still running",
                Seconds(*waited),
                processor.as_secs_f32()
            ),
            Fault::Asleep { waited, calls } => write_asleep(f, *waited, calls),
            Fault::Slow { waited, calls } => {
                write!(
                    f,
                    "not done after {}: the process sleeps and wakes up again and again",
                    Seconds(*waited)
                )?;
                let names: Vec<&str> =
                    calls.iter().filter_map(|call| call.split(',').next()).collect();
                if names.is_empty() { Ok(()) } else { write!(f, ", in {}", names.join(" and ")) }
            }
            Fault::Flood { mebibytes } => {
                write!(f, "printed more than {mebibytes} MiB, so the workbook stopped it")
            }
            Fault::LongTranscript { kibibytes } => {
                write!(f, "printed a transcript longer than {kibibytes} KiB, so the rest was cut")
            }
            Fault::Killed { signal } => write_signal(f, *signal),
            Fault::SilentAbort => f.write_str(
                "aborted (SIGABRT) without a message on standard error: either your code called \
                 abort, or it closed descriptors that it hadn't opened, including standard error, \
                 and std aborted when their owners closed the same descriptors",
            ),
            Fault::ClosedTwice => f.write_str(
                "closed a descriptor twice: std aborted when an owner closed a descriptor that \
                 another owner or a call to close had closed already",
            ),
            Fault::Stopped { waited } => write!(
                f,
                "stopped by SIGSTOP or a similar signal and still stopped after {}: a stopped \
                 process waits for SIGCONT",
                Seconds(*waited)
            ),
            Fault::OutOfMemory => {
                f.write_str("asked for more memory than was available or allowed")
            }
            Fault::TooManyProcesses => f.write_str(
                "started more processes or threads than allowed, so the workbook killed them",
            ),
            Fault::SilentPanic => f.write_str(
                "ended with exit code 101, which means a panic, but the workbook's panic hook \
                 didn't run: either your code didn't catch a panic that the program raises on \
                 purpose with resume_unwind, or your code replaced the hook with \
                 std::panic::set_hook",
            ),
            Fault::HookReplaced => f.write_str(
                "replaced the panic hook with std::panic::set_hook and didn't restore the \
                 workbook's hook, so a panic could go unnoticed",
            ),
            Fault::LeftBehind(names) => write!(
                f,
                "left {} behind outside its process group (setsid or setpgid): {}, which the \
                 workbook killed",
                if names.len() == 1 { "a process" } else { "processes" },
                names.join(", ")
            ),
            Fault::StackOverflow => {
                f.write_str("overflowed its stack: most likely, a function keeps calling itself")
            }
            Fault::Exited { code: 0 } => {
                f.write_str("ended the process (exit code 0) before the end of the run")
            }
            Fault::Exited { code } => write!(f, "ended the process itself, with exit code {code}"),
            Fault::NoReport => f.write_str(
                "left no report: the workbook's process that reports on the run was killed or \
                 stopped, or it had no memory left",
            ),
            Fault::Leaks(kinds) => write!(f, "leaks {}", descriptors(kinds)),
            Fault::ClosesOthers(which) => {
                write!(f, "closes {}: {}", that_it_did_not_open(which.len()), which.join(", "))
            }
        }
    }
}

/// The panic of a `todo!`, shown without std's preamble.
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
    let Panic { thread, file, line, message, .. } = panic;
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
        [] => f.write_str(" and still not done"),
        [call] => write!(f, " in {call}"),
        [call, others @ ..] => write!(f, " in {call}; other threads in {}", others.join("; in ")),
    }
}

fn write_signal(f: &mut fmt::Formatter<'_>, signal: i32) -> fmt::Result {
    match signal {
        libc::SIGSEGV => {
            f.write_str("crashed (SIGSEGV): your code used memory that doesn't belong to it")
        }
        libc::SIGBUS => f.write_str(
            "crashed (SIGBUS): your code accessed mapped memory that has no storage behind it",
        ),
        libc::SIGILL => {
            f.write_str("crashed (SIGILL): the processor met an instruction that it can't execute")
        }
        libc::SIGABRT => f.write_str("aborted (SIGABRT)"),
        libc::SIGPIPE => f.write_str(
            "killed by SIGPIPE: your code wrote to a pipe or a socket whose other end is closed, \
             and SIGPIPE wasn't ignored",
        ),
        libc::SIGKILL => f.write_str(
            "killed (SIGKILL) by your code, by another program or because memory ran out",
        ),
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

fn that_it_did_not_open(count: usize) -> &'static str {
    if count == 1 { "a descriptor that it didn't open" } else { "descriptors that it didn't open" }
}

/// A duration, shown as `5 s` or `0.5 s`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_progress_is_not_called_asleep() {
        let calls = ["poll, with no timeout: nothing woke it", "futex, for a lock"];
        let calls = calls.map(str::to_owned).to_vec();
        let slow = Fault::Slow { waited: Duration::from_secs(15), calls };
        assert_eq!(
            slow.to_string(),
            "not done after 15 s: the process sleeps and wakes up again and again, in poll and futex"
        );
    }
}
