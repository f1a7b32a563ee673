//! Builds a page with cargo. The caller decides whether the compiler's messages are shown to the
//! reader immediately, kept in the result, or passed to another program.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use rustix::process::{Signal, kill_process_group};
use scene::root::cargo;

use crate::diagnostics::{Problem, Reported, parse};
use crate::freshness::Sources;
use crate::machine::{self, NotJudged};
use crate::notebook::page::Page;
use crate::notebook::{Notebook, on_yours};
use crate::run::{ChildGuard, directory, spawn_group, spawn_process};
use crate::sandbox::sandbox;
use crate::terminal::{shown, wants_colour};
use crate::workbook::numbers;

/// The result of a build.
#[derive(Debug)]
pub enum Built {
    /// The page was built. Contains the program's path and the messages of the compiler and, unless
    /// they were shown, of cargo.
    Program(PathBuf, String),
    /// The page or a layer below it doesn't compile.
    DoesNotCompile(Failure),
}

/// The reason why a page couldn't be built.
#[derive(Debug, Default)]
pub struct Failure {
    /// The directory of the first package that doesn't compile. `None` if cargo itself failed.
    pub package: Option<PathBuf>,
    /// The messages of the compiler and, unless they were shown, of cargo, each up to a limit.
    messages: String,
    /// The problems that the compiler reported, up to the same limit.
    pub problems: Vec<Problem>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.messages)
    }
}

impl Failure {
    /// Shows the kept messages to the reader or passes them on, as `messages` says. Does nothing if
    /// `messages` is [`Messages::Kept`].
    pub(crate) fn show(&self, messages: Messages) {
        if self.package.is_none() {
            // Cargo itself failed, and its messages say why.
            messages.show(&Problem::of_cargo(&self.messages));
        } else {
            self.problems.iter().for_each(|problem| messages.show(problem));
        }
    }

    /// Returns a sentence that names the code that doesn't compile. If that code is a layer below
    /// the page, the sentence also says how to use the reference's layers instead.
    pub fn sentence(&self, page: &Page) -> String {
        let named = shown(&page.dir());
        let Some(package) = &self.package else {
            return format!("cargo couldn't build {named}.");
        };
        let layer = package.file_name().unwrap_or_default().to_string_lossy();
        if *package == page.dir() || !package.starts_with(&page.notebook.dir) {
            return format!("{} doesn't compile yet.", shown(package));
        }
        let mut own = vec![layer.to_string()];
        let is_reference = package.parent() == Some(&page.notebook.dir.join(on_yours::DIR));
        if is_reference {
            // Alone, the reference compiles, so the reason is in a layer of the reader's below it.
            let readers = page.notebook.own_layers().unwrap_or_default();
            own = page.notebook.layers_under(&layer).unwrap_or_default();
            own.retain(|layer| readers.contains(layer));
        }
        let yours = numbers(&own.iter().map(String::as_str).collect::<Vec<_>>());
        let what = if is_reference {
            format!("The reference's {layer} on your {yours}")
        } else {
            shown(package)
        };
        format!(
            "{what} doesn't compile, and {} builds on it. To use the reference's {yours} instead: {}",
            page.step.package,
            page.notebook.typed(None, &format!(" -- use-reference {}", own.join(" ")))
        )
    }
}

/// The destination of the compiler's messages.
#[derive(Debug, Clone, Copy)]
pub enum Messages {
    /// The messages are shown to the reader, with cargo's progress if the notebook doesn't have a
    /// target directory yet.
    Shown,
    /// The messages are only kept in [`Built`] and aren't shown.
    Kept,
    /// The messages are passed one by one to a function that forwards them to another program.
    Told(fn(&Problem)),
}

impl Messages {
    /// Shows a problem or passes it on, unless the messages are kept.
    fn show(self, problem: &Problem) {
        match self {
            Messages::Shown => eprint!("{}", problem.rendered),
            Messages::Told(tell) => tell(problem),
            Messages::Kept => (),
        }
    }
}

/// The cargo profile of a build. The profile determines the directory of the programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// The profile with which pages are judged.
    Dev,
    /// The profile of `cargo run --release`.
    Release,
}

impl Profile {
    /// Returns the profile that this program was built with.
    pub fn of_this_program() -> Profile {
        if cfg!(debug_assertions) { Profile::Dev } else { Profile::Release }
    }
}

/// A limit in bytes. Once the compiler's messages exceed it, we keep no further message. Of cargo's
/// messages, and of a line of its report, we keep no more than this.
const MOST_KEPT: usize = 1024 * 1024;

/// Builds an open page's program for judging.
pub fn build(page: &Page, messages: Messages) -> anyhow::Result<Built> {
    build_page(&page.notebook, page.step.package, messages, Profile::Dev)
}

/// Builds a page's program.
pub fn build_page(
    notebook: &Notebook,
    package: &str,
    messages: Messages,
    profile: Profile,
) -> anyhow::Result<Built> {
    build_program(notebook, package, ("--bin", package), messages, profile)
}

/// Builds one of a page's programs, given as cargo's flag and the program's name, such as
/// `("--bin", "step01_fd")`.
pub fn build_program(
    notebook: &Notebook,
    package: &str,
    (kind, name): (&str, &str),
    messages: Messages,
    profile: Profile,
) -> anyhow::Result<Built> {
    let target = Target::of(notebook)?;
    let directory = if profile == Profile::Dev { "debug" } else { "release" };
    let directory = target.programs.join(directory);
    let directory = if kind == "--example" { directory.join("examples") } else { directory };
    let sources = Sources::look(notebook, &directory.join(name))?;
    let mut command = build_command(notebook, package, (kind, name), messages, profile, target)?;
    // A sandbox has a time limit, after which everything that cargo has started is killed. A
    // reader's own page has no limit.
    let spawn = if sandbox().is_some() { spawn_group } else { spawn_process };
    let mut guard = spawn(&mut command).context("start cargo")?;
    let _deadline = sandbox().map(|sandbox| Deadline::of(&guard, sandbox.longest_build()));
    let stderr = guard.child.stderr.take();
    let cargo_said = thread::spawn(move || stderr.map(read_some).unwrap_or_default());

    let mut program = None;
    let mut failure = Failure::default();
    let mut stdout = guard.child.stdout.take().map(BufReader::new);
    while let Some(line) = stdout.as_mut().and_then(next_line) {
        match parse(&line, &notebook.dir) {
            Some(Reported::Program(path)) => program = Some(path),
            Some(Reported::Message { problem, failed }) => {
                failure.package = failure.package.or(failed);
                messages.show(&problem);
                if failure.messages.len() <= MOST_KEPT {
                    failure.messages += &problem.rendered;
                    failure.problems.push(problem);
                }
            }
            None => (),
        }
    }
    let status = guard.wait().context("wait for cargo")?;
    // In a sandbox, the signal may come from our own deadline, in which case the page is at fault.
    if let (Some(signal), None) = (status.signal(), sandbox()) {
        let reason = format!("cargo was killed by signal {signal} while building the page");
        return Err(NotJudged(reason).into());
    }
    let cargo_said = cargo_said.join().unwrap_or_default();
    if !status.success() {
        if sandbox().is_none() {
            machine::compiled(&failure, &cargo_said)?;
        }
        if let (None, Messages::Told(tell)) = (&failure.package, messages) {
            tell(&Problem::of_cargo(&cargo_said));
        }
        failure.messages += &cargo_said;
        return Ok(Built::DoesNotCompile(failure));
    }
    failure.messages += &cargo_said;
    let program = program.context("cargo built the page but named no program")?;
    sources.built(notebook)?;
    Ok(Built::Program(program, failure.messages))
}

/// The directories for a build's results.
struct Target {
    /// The directory that contains a directory of programs for each profile.
    programs: PathBuf,
    /// The reader's own target directory, if `CARGO_TARGET_DIR` sets one. It contains the steps'
    /// programs, which have the same names as the pages' programs. So the pages' programs go to a
    /// different directory, and only the intermediate artifacts are shared.
    readers: Option<PathBuf>,
}

impl Target {
    fn of(notebook: &Notebook) -> anyhow::Result<Target> {
        let readers = std::env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty());
        let readers = readers.map(std::path::absolute).transpose();
        let readers = readers.context("find the target directory")?;
        let programs =
            readers.as_ref().map_or(notebook.dir.join("target"), |dir| dir.join("notebook"));
        Ok(Target { programs, readers })
    }
}

fn build_command(
    notebook: &Notebook,
    package: &str,
    (kind, name): (&str, &str),
    messages: Messages,
    profile: Profile,
    target: Target,
) -> anyhow::Result<Command> {
    let is_shown = matches!(messages, Messages::Shown);
    let is_coloured = is_shown && wants_colour(&io::stderr());
    let format = if is_coloured { "json-diagnostic-rendered-ansi" } else { "json" };
    let mut command = cargo();
    command
        // Cargo starts looking for its configuration in this directory, so it finds the notebook's
        // configuration.
        .current_dir(notebook.page(package))
        .env("TMPDIR", directory::base())
        .args(["build", kind, name, "--message-format", format]);
    if profile == Profile::Release {
        command.arg("--release");
    }
    if !is_shown || notebook.dir.join("target").exists() {
        command.arg("--quiet");
    }
    if let Some(dir) = target.readers {
        command.env("CARGO_BUILD_BUILD_DIR", dir).env("CARGO_TARGET_DIR", target.programs);
    }
    if let Some(sandbox) = sandbox() {
        command = sandbox.compiler(&command, &notebook.dir)?;
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    if !is_shown {
        command.stderr(Stdio::piped());
    }
    Ok(command)
}

/// Kills a process group after a time limit, unless this value is dropped first.
struct Deadline {
    /// A thread waits until the time limit expires or this sender is dropped.
    _open: Sender<()>,
}

impl Deadline {
    fn of(guard: &ChildGuard, longest: Duration) -> Deadline {
        let (open, closed) = channel();
        let group = guard.pid();
        thread::spawn(move || {
            if closed.recv_timeout(longest) == Err(RecvTimeoutError::Timeout) {
                let _ = kill_process_group(group, Signal::KILL);
            }
        });
        Deadline { _open: open }
    }
}

/// Reads the next line. Returns `None` at the end of the stream or if reading fails. A page can
/// make the compiler print arbitrarily long lines, so a line that's longer than `MOST_KEPT` is
/// truncated.
fn next_line(from: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    if from.by_ref().take(MOST_KEPT as u64).read_until(b'\n', &mut line).ok()? == 0 {
        return None;
    }
    if line.last() != Some(&b'\n') {
        from.skip_until(b'\n').ok()?;
    }
    Some(String::from_utf8_lossy(&line).into_owned())
}

/// Reads a stream to its end and returns its first `MOST_KEPT` bytes as text.
fn read_some(mut stream: impl Read) -> String {
    let mut bytes = Vec::new();
    // If this fails halfway, the bytes read so far are still useful.
    let _ = stream.by_ref().take(MOST_KEPT as u64).read_to_end(&mut bytes);
    let _ = io::copy(&mut stream, &mut io::sink());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_longer_than_any_of_cargos_is_cut_and_the_next_is_whole() {
        let long = "x".repeat(3 * MOST_KEPT);
        let said = format!("first\n{long}\nlast");
        let mut from = BufReader::new(said.as_bytes());
        assert_eq!(next_line(&mut from).as_deref(), Some("first\n"));
        assert_eq!(next_line(&mut from).map(|line| line.len()), Some(MOST_KEPT));
        assert_eq!(next_line(&mut from).as_deref(), Some("last"));
        assert_eq!(next_line(&mut from), None);
        assert_eq!(read_some(said.as_bytes()).len(), MOST_KEPT);
    }
}
