//! The sandbox's first process, which runs the grader's own program. This process reads its task
//! from standard input, runs the page's program in the same way as the runner does for a reader,
//! and reports the outcome on standard output.
//!
//! A page's processes run as the same user but can't touch this process. The kernel protects the
//! first process in a namespace from signals that the other processes send. The other processes
//! can't trace this process or open its memory or its descriptors, and they don't inherit these
//! descriptors. When this process exits, everything in the sandbox is killed.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};
use judging::run::{Fault, SceneRun, run_here};
use judging::sandbox::Asked;
use kit::proc::{processes, threads_of};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::param::page_size;
use rustix::process::{
    DumpableBehavior, Gid, Resource, Rlimit, Signal, Uid, getpid, getrlimit, set_dumpable_behavior,
    set_parent_process_death_signal, setrlimit, setsid,
};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use serde::{Deserialize, Serialize};

/// The command that runs a program inside the sandbox.
pub const INSIDE: &str = "grade-inside";
/// The command that executes cargo inside the sandbox.
pub const COMPILE: &str = "grade-compile";

/// The first byte of this process's output. Once this byte is written, a missing report is the
/// page's fault.
pub(crate) const BEGUN: u8 = b'!';

const MEBIBYTE: u64 = 1024 * 1024;

/// The maximum total memory that a run's processes may use.
pub(crate) const MOST_MEMORY: u64 = 1024 * MEBIBYTE;
/// The maximum memory that each process may request. This limit is higher than the total, because a
/// trial requests more bytes than 32 bits can count and doesn't use them.
pub(crate) const MOST_ASKED_FOR: u64 = 6 * 1024 * MEBIBYTE;
/// The maximum number of processes and threads that a user may have for a notebook's programs.
pub(crate) const MOST_PROCESSES: u64 = 512;
/// The number of processes and threads at which we stop a run. This number is lower than the
/// maximum, because the notebook's other runs may have processes, too.
pub(crate) const TOO_MANY_PROCESSES: usize = 256;
/// The maximum size of a file that a judged program may write.
pub(crate) const LONGEST_FILE: u64 = 64 * MEBIBYTE;
/// The maximum number of bytes in a page's temporary directory.
pub(crate) const TEMPORARY_FILES: u64 = 256 * MEBIBYTE;
/// The maximum processor time for each of a page's processes, in seconds.
pub(crate) const PROCESSOR_TIME: u64 = 20;
/// The maximum processor time for each of the compiler's processes, in seconds.
pub(crate) const COMPILERS_TIME: u64 = 30;
/// The maximum memory for each of the compiler's processes, most of which is only reserved.
pub(crate) const COMPILERS_MEMORY: u64 = 4 * 1024 * MEBIBYTE;

/// The maximum size of a file that the compiler may write.
pub(crate) const COMPILERS_FILE: u64 = 8 * LONGEST_FILE;
/// The interval at which we count the processes and measure their memory.
const BETWEEN_COUNTS: Duration = Duration::from_millis(20);

/// A task for the process inside the sandbox.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    /// The requested run. With `None`, nothing runs, and the task only tests whether a sandbox can
    /// be created.
    pub(crate) asked: Option<Asked>,
    /// The user to switch to if we're root, because the kernel doesn't limit root's processes.
    pub(crate) user: Option<u32>,
    /// The maximum number of processes and threads that the user may have.
    pub(crate) processes: u64,
    /// True if all visible processes belong to the sandbox, so that they can be counted.
    pub(crate) is_alone: bool,
}

/// The report: the run, or the reason why there was none.
pub(crate) type Reported = Result<SceneRun, String>;

/// Reads a task from standard input, carries it out, reports the outcome, and exits.
///
/// Fails if the task couldn't begin.
pub fn run_inside() -> anyhow::Result<ExitCode> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable).context("keep others from tracing us")?;
    // Without a sandbox, this call detaches us from the terminal. In a sandbox, bwrap has already
    // done that.
    let _ = setsid();
    let task: Task = serde_json::from_reader(io::stdin().lock()).context("read the task")?;
    limit(&[
        (Resource::Cpu, PROCESSOR_TIME),
        (Resource::Data, MOST_ASKED_FOR),
        (Resource::As, MOST_ASKED_FOR),
        (Resource::Fsize, LONGEST_FILE),
        (Resource::Core, 0),
        (Resource::Nproc, task.processes),
    ])?;
    if let Some(user) = task.user {
        become_user(user).with_context(|| format!("become user {user}"))?;
    }
    // The kernel resets both settings when the user changes.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).context("keep others from tracing us")?;
    set_parent_process_death_signal(Some(Signal::KILL)).context("die with the judge")?;
    io::stdout().write_all(&[BEGUN]).context("report the beginning")?;
    io::stdout().flush().context("report the beginning")?;
    thread::spawn(end_with_the_judge);
    let Some(asked) = task.asked else { report(Ok(SceneRun::default())) };
    if task.is_alone {
        thread::spawn(end_if_too_much);
    }
    report(run_here(&asked).map_err(|error| format!("{error:#}")))
}

/// Executes a program with the compiler's limits. The words are the maximum number of processes for
/// the user, the program, and its arguments.
pub fn compile_inside(words: &[&str]) -> anyhow::Result<ExitCode> {
    let [processes, program, words @ ..] = words else { bail!("no compiler is named") };
    let _ = setsid();
    limit(&[
        (Resource::Cpu, COMPILERS_TIME),
        (Resource::Data, COMPILERS_MEMORY),
        (Resource::Fsize, COMPILERS_FILE),
        (Resource::Core, 0),
        (Resource::Nproc, processes.parse().context("the number of processes")?),
    ])?;
    let error = Command::new(program).args(words).exec();
    Err(error).with_context(|| format!("start {program}"))
}

/// Lowers these limits for this process and for all processes that it starts.
pub(crate) fn limit(most: &[(Resource, u64)]) -> anyhow::Result<()> {
    for &(resource, most) in most {
        let most = Some(getrlimit(resource).maximum.map_or(most, |now| now.min(most)));
        let lower = Rlimit { current: most, maximum: most };
        setrlimit(resource, lower).with_context(|| format!("setrlimit {resource:?} {most:?}"))?;
    }
    Ok(())
}

/// Switches to a different user, without any privileges. The switch affects only this thread, so
/// this thread has to be the process's only thread.
fn become_user(user: u32) -> rustix::io::Result<()> {
    let (uid, gid) = (Uid::from_raw(user), Gid::from_raw(user));
    set_thread_groups(&[])?;
    set_thread_res_gid(gid, gid, gid)?;
    set_thread_res_uid(uid, uid, uid)
}

/// Reports the run, or the reason why there was none, and exits, which ends the sandbox.
fn report(result: Reported) -> ! {
    static FIRST: Mutex<()> = Mutex::new(());
    // No other thread reports while we do.
    let _first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    let sent = serde_json::to_writer(io::stdout().lock(), &result);
    let sent = sent.map_err(io::Error::from).and_then(|()| io::stdout().flush());
    std::process::exit(i32::from(sent.is_err()))
}

/// Ends this process and thereby the sandbox once no process can read this process's reports any
/// more. The kernel's signal at a parent's death isn't enough, because in a sandbox, this process's
/// parent is bwrap rather than the judge.
fn end_with_the_judge() {
    let out = io::stdout();
    // The kernel reports a closed pipe even if no events are requested.
    let mut fds = [PollFd::new(&out, PollFlags::empty())];
    while poll(&mut fds, None) == Err(Errno::INTR) {}
    std::process::exit(1)
}

/// Ends the sandbox with a report once the sandbox has too many processes or uses too much memory
/// in total. The kernel's own limit on processes prevents only new processes, and the existing
/// processes would still hog the processors.
fn end_if_too_much() {
    loop {
        thread::sleep(BETWEEN_COUNTS);
        let others = processes().filter(|(process, _)| *process != getpid());
        let processes: Vec<PathBuf> = others.map(|(_, dir)| dir).collect();
        let threads: usize = processes.iter().map(|process| threads_of(process).len()).sum();
        let memory: u64 = processes.iter().filter_map(|process| own_memory(process)).sum();
        let fault = match () {
            () if threads >= TOO_MANY_PROCESSES => Fault::TooManyProcesses,
            () if memory > MOST_MEMORY => Fault::OutOfMemory,
            () => continue,
        };
        report(Ok(SceneRun { faults: vec![fault], ..SceneRun::default() }));
    }
}

/// Returns the number of bytes of a process's own memory. A memory page that the process shares
/// with a child, because neither process has written to the page since the fork, counts for both
/// processes.
fn own_memory(process: &Path) -> Option<u64> {
    // The process's size, its resident part, and that part's share of files and shared memory; see
    // proc_pid_statm(5).
    let pages = fs::read_to_string(process.join("statm")).ok()?;
    let mut pages = pages.split(' ').skip(1).map_while(|count| count.parse::<u64>().ok());
    Some(pages.next()?.saturating_sub(pages.next()?) * page_size() as u64)
}

/// Reads a stream to its end. Fails if the stream has more than `most` bytes.
pub(crate) fn read_at_most(stream: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it's longer than {most} bytes")));
    }
    Ok(bytes)
}
