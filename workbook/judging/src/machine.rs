//! The capabilities that a machine needs for judging pages. If a capability is missing, a correct
//! body could be red, so we don't judge the page. The error names what the machine lacks.
//!
//! We check for most of these capabilities before anything runs. A capability that we don't check
//! for can be missing, too, so a verdict that doesn't stop at a `todo!` counts as red only if the
//! reference is green on the same machine.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use anyhow::Context;
use rustix::process::{Resource, getrlimit};

use crate::cargo::Failure;
use crate::run::directory::RunDirectory;
use crate::step::{Check, Step};
use crate::verdict::{Effort, Verdict};

/// The error for a page that can't be judged on this machine. Contains the reason as a sentence
/// without its full stop.
#[derive(Debug)]
pub struct NotJudged(pub String);

impl fmt::Display for NotJudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not judged: {}", self.0)
    }
}

impl std::error::Error for NotJudged {}

impl NotJudged {
    /// Makes a `NotJudged` from the error that kept us from judging a page.
    pub(crate) fn because(error: anyhow::Error) -> anyhow::Error {
        if error.is::<NotJudged>() { error } else { NotJudged(format!("{error:#}")).into() }
    }

    /// Returns the message for a reader.
    pub fn explanation(&self) -> String {
        format!(
            "Not judged: {}. The cause is your machine, not your page, so your page's state hasn't \
             changed: every exercise that was green is still green.",
            self.0
        )
    }
}

/// The lowest limits with which the compiler, the scenes and the trials can run. Each entry
/// consists of the resource, the amount, its unit, and the shell command that shows the limit.
const LIMITS: [(Resource, u64, &str, &str); 4] = [
    // One scene uses descriptors from 1,024 up, which select(2) can't handle.
    (Resource::Nofile, 1040, "open descriptors", "ulimit -Hn"),
    // The compiler writes some files of tens of megabytes.
    (Resource::Fsize, 256 << 20, "bytes in a file", "ulimit -Hf"),
    // Each thread reserves addresses for its stack and its heap but uses only a small part of them.
    (Resource::As, 2 << 30, "bytes of address space", "ulimit -Hv"),
    (Resource::Data, 1 << 30, "bytes of memory", "ulimit -Hd"),
];

/// The number of threads that the scenes need. Four scenes run simultaneously.
const THREADS: usize = 40;

/// The number of bytes that we write to check for free space. No scene writes more to its files.
const ROOM: usize = 1 << 20;

/// Fails with [`NotJudged`] if this machine lacks something that scenes and trials need.
pub fn look() -> anyhow::Result<()> {
    for (resource, needed, what, named) in LIMITS {
        if let Some(hard) = getrlimit(resource).maximum
            && hard < needed
        {
            let reason = format!(
                "a process may have at most {hard} {what} here (the hard limit, `{named}`), but \
                 the workbook needs {needed}"
            );
            return Err(NotJudged(reason).into());
        }
    }
    if let Err(error) = fs::read_dir("/proc/self/fd") {
        return Err(NotJudged(format!("/proc/self/fd can't be read here: {error}")).into());
    }
    has_room().map_err(NotJudged::because)?;
    can_start_threads()
        .context("can't start the threads that scenes need")
        .map_err(NotJudged::because)?;
    can_connect().context("can't connect to 127.0.0.1").map_err(NotJudged::because)
}

/// Fails if there's no room for the files that a scene writes.
fn has_room() -> anyhow::Result<()> {
    let directory = RunDirectory::make()?;
    write(&directory.dir.join("room")).with_context(|| {
        let dir = directory.dir.parent().unwrap_or(&directory.dir);
        format!(
            "can't write a file of {ROOM} bytes in {}, the directory for temporary files",
            dir.display()
        )
    })
}

fn write(file: &Path) -> io::Result<()> {
    let mut file = File::create(file)?;
    file.write_all(&vec![1; ROOM])
}

/// Fails if this process can't start as many threads as the scenes need.
fn can_start_threads() -> io::Result<()> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let _closed = gate.lock();
        let waits = || drop(gate.lock());
        let mut all = (0..THREADS).map(|_| thread::Builder::new().spawn_scoped(scope, waits));
        all.try_for_each(|started| started.map(drop))
    })
}

fn can_connect() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    TcpStream::connect(listener.local_addr()?).map(drop)
}

/// Fails with [`NotJudged`] if the reference is red, too. In that case, the red verdict isn't the
/// page's fault.
pub(crate) fn control(step: &Step, red: &Verdict) -> anyhow::Result<()> {
    let Check { kind, name, .. } = red.check;
    let control = red.check.of_a_program(step, step.reference, Effort::for_a_check())?;
    if control.is_green() {
        return Ok(());
    }
    let (kind, sentence) = (kind.word(), control.sentence());
    let reason =
        format!("the {kind} {name} isn't green with the reference here, either: {sentence}");
    Err(NotJudged(reason).into())
}

/// The kernel's error codes for a resource that this machine has run out of or can't use: EIO,
/// EAGAIN, ENOMEM, EACCES, ENFILE, EMFILE, ETXTBSY, EFBIG, ENOSPC, EROFS, ENOSYS, EDQUOT.
const MACHINES: [i32; 12] = [5, 11, 12, 13, 23, 24, 26, 27, 28, 30, 38, 122];

/// Fails with [`NotJudged`] if cargo or the compiler failed because of the machine rather than the
/// source. Nearly all errors in the source have a location, but errors from the machine don't.
pub(crate) fn compiled(failure: &Failure, cargo_said: &str) -> anyhow::Result<()> {
    let errors = failure.problems.iter().filter(|problem| problem.is_error());
    let without_place = errors.filter(|error| error.place.is_none()).map(|error| &*error.rendered);
    let cargos = cargo_said.lines();
    let is_the_machines = |line: &&str| {
        MACHINES.iter().any(|number| line.contains(&format!("(os error {number})")))
            || line.contains("No space left on device")
            || line.starts_with("error: linker `") && line.contains("not found")
            || line.contains("signal: 9, SIGKILL")
    };
    let lines = without_place.flat_map(str::lines).chain(cargos);
    match lines.map(str::trim).find(is_the_machines) {
        Some(line) => Err(NotJudged(format!("the compiler couldn't do its work: {line}")).into()),
        None => Ok(()),
    }
}
