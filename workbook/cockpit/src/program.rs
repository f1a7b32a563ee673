//! A program that the server starts, until the program's last child has ended.
//!
//! Most of these programs are the workbook's commands. A command is a `cargo run`, which is
//! replaced by the program once the program is built. Each program gets a separate process group,
//! so SIGTERM also reaches cargo's compilers. When we ask the runner to exit, the runner kills its
//! own scenes. We kill any processes that haven't exited after a while.

use std::cell::{Cell, RefCell};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

use asyncio::{Error, PipeReader, PipeWriter, Process, Result, create_subprocess, create_task};
use ecosystem::LoopTimer;
use futures_util::future::{Either, join_all, select};
use rustix::process::{Pid, Signal, kill_process_group};

/// The time that a program has to exit after SIGTERM.
const GRACE: Duration = Duration::from_secs(3);

/// The maximum length of a line that we pass on, and the maximum size of the error output that we
/// keep, in bytes.
const LONGEST_LINE: usize = 1 << 20;
const LONGEST_REPORT: usize = 4096;

/// The running programs.
#[derive(Debug)]
pub struct Programs {
    root: PathBuf,
    running: RefCell<Vec<Rc<Running>>>,
    is_ending: Cell<bool>,
}

#[derive(Debug)]
struct Running {
    process: Process,
    group: Option<Pid>,
    /// True if we kill the processes that the program leaves behind in its group. False for an
    /// editor, whose window should stay open.
    ends_as_a_group: bool,
}

/// A program that we've started, with its input and output. Dropping this value stops the program.
#[derive(Debug)]
pub struct Program {
    programs: Rc<Programs>,
    running: Rc<Running>,
    input: Option<PipeWriter>,
    output: PipeReader,
    unread: Vec<u8>,
    report: Rc<RefCell<Vec<u8>>>,
    is_over: bool,
}

/// The outcome of a program.
#[derive(Debug)]
pub struct Ended {
    /// The exit code or, if a signal killed the program, the negative signal number.
    pub code: i32,
    /// The end of what the program wrote to standard error.
    pub report: String,
}

impl Programs {
    /// Creates an empty set of programs, which will run in this directory.
    pub fn new(root: &Path) -> Rc<Self> {
        Rc::new(Programs {
            root: root.to_owned(),
            running: RefCell::default(),
            is_ending: Cell::new(false),
        })
    }

    /// Starts `cargo run` with these arguments, in the workbook's root.
    pub fn cargo_run(self: &Rc<Self>, arguments: &[String]) -> Result<Program> {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // The cargo that started us has set this variable for our own package, so remove it.
        command.env_remove("CARGO_MANIFEST_DIR");
        command.args(["run", "--quiet"]).args(arguments);
        self.start_in_a_group(&mut command, true)
    }

    /// Starts a program in the workbook's root.
    pub fn start(self: &Rc<Self>, command: &mut Command) -> Result<Program> {
        self.start_in_a_group(command, false)
    }

    fn start_in_a_group(
        self: &Rc<Self>,
        command: &mut Command,
        ends_as_a_group: bool,
    ) -> Result<Program> {
        if self.is_ending.get() {
            return Err(Error::other("the server is shutting down"));
        }
        command.current_dir(&self.root).process_group(0).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // Remove these variables, because a trace is meant only for the loop that serves the pages.
        command.env_remove("WORKBOOK_TRACE").env_remove(crate::TOKEN);
        let mut process = create_subprocess(command)?;
        let (input, output, errors) =
            (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let output = output.ok_or_else(|| Error::other("its output is a pipe"))?;
        let report = Rc::new(RefCell::new(Vec::new()));
        if let Some(errors) = errors {
            create_task(keep_the_end(errors, Rc::clone(&report)))?;
        }
        let group = i32::try_from(process.pid()).ok().and_then(Pid::from_raw);
        let running = Rc::new(Running { process, group, ends_as_a_group });
        self.running.borrow_mut().push(Rc::clone(&running));
        let programs = Rc::clone(self);
        Ok(Program { programs, running, input, output, unread: Vec::new(), report, is_over: false })
    }

    /// Asks all programs to exit and then waits for all of them together. Kills those that take too
    /// long.
    pub async fn end_all(&self) -> Result<()> {
        self.is_ending.set(true);
        let all: Vec<_> = self.running.borrow().clone();
        for running in &all {
            running.signal(Signal::TERM);
        }
        let ended = join_all(all.iter().map(|running| running.ends())).await;
        ended.into_iter().try_for_each(|ended| ended.map(drop))
    }

    /// Kills all programs without giving them time to exit.
    pub fn kill_all(&self) {
        self.is_ending.set(true);
        for running in &*self.running.borrow() {
            running.signal(Signal::KILL);
        }
    }

    /// Returns the number of running programs.
    pub fn count(&self) -> usize {
        self.running.borrow().len()
    }

    fn forget(&self, gone: &Rc<Running>) {
        self.running.borrow_mut().retain(|running| !Rc::ptr_eq(running, gone));
    }
}

impl Running {
    /// Sends a signal to the program and its children, unless the program has ended.
    fn signal(&self, signal: Signal) {
        if self.process.returncode().is_none() {
            self.signal_group(signal);
        }
    }

    fn signal_group(&self, signal: Signal) {
        if let Some(group) = self.group {
            // This fails if no process of the group is left.
            let _ = kill_process_group(group, signal);
        }
    }

    /// Kills the processes that a program has left behind in its group. While any of them is left,
    /// the kernel doesn't reuse the group's ID, and otherwise only once IDs have wrapped around.
    fn end_the_rest(&self) {
        if self.ends_as_a_group {
            self.signal_group(Signal::KILL);
        }
    }

    /// Waits until a program that we asked to exit has ended. Kills the program if the wait takes
    /// too long.
    async fn ends(&self) -> Result<i32> {
        let ended = match select(Box::pin(self.process.wait()), LoopTimer.sleep(GRACE)).await {
            Either::Left((code, _)) => code,
            Either::Right(_) => {
                self.signal(Signal::KILL);
                self.process.wait().await
            }
        };
        self.end_the_rest();
        ended
    }
}

impl Program {
    /// Writes a string to the program's input and then closes the input.
    pub(crate) fn read(&mut self, text: String) -> Result<()> {
        let Some(input) = self.input.take() else { return Ok(()) };
        create_task(async move {
            // A program may exit without reading its input. The program's output then says what's
            // wrong.
            let _ = input.write_all(text.as_bytes()).await;
            Ok(())
        })?;
        Ok(())
    }

    /// Waits for a line of the program's output. Returns `None` at the end. Dropping the future
    /// loses no output.
    pub async fn line(&mut self) -> Result<Option<String>> {
        loop {
            if let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                return Ok(Some(String::from_utf8_lossy(&line[..end]).into_owned()));
            }
            if self.unread.len() > LONGEST_LINE {
                return Err(Error::other("the program printed a line longer than 1 MiB"));
            }
            let mut piece = vec![0; 16 * 1024];
            match self.output.read(&mut piece).await? {
                0 => return Ok(None),
                count => self.unread.extend(&piece[..count]),
            }
        }
    }

    /// Waits for a line, but only for a limited time. Returns `None` if no line arrived.
    pub async fn line_within(&mut self, time: Duration) -> Option<Result<Option<String>>> {
        match select(Box::pin(self.line()), LoopTimer.sleep(time)).await {
            Either::Left((line, _)) => Some(line),
            Either::Right(_) => None,
        }
    }

    /// Waits until the program has ended and returns the outcome.
    pub async fn ended(mut self) -> Result<Ended> {
        let code = self.running.process.wait().await?;
        self.running.end_the_rest();
        self.is_over = true;
        let report = String::from_utf8_lossy(&self.report.borrow()).into_owned();
        Ok(Ended { code, report })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.running.signal(Signal::TERM);
        let (programs, running) = (Rc::clone(&self.programs), Rc::clone(&self.running));
        if self.is_over {
            return programs.forget(&running);
        }
        if self.running.process.returncode().is_some() {
            running.end_the_rest();
            return programs.forget(&running);
        }
        // An error means that no loop is running any more. In that case, the program was asked to
        // exit, and closing the loop killed the program.
        let _ = create_task(async move {
            let ended = running.ends().await;
            programs.forget(&running);
            ended
        });
    }
}

/// Reads everything that a program writes to standard error and keeps the last part.
async fn keep_the_end(errors: PipeReader, report: Rc<RefCell<Vec<u8>>>) -> Result<()> {
    let mut piece = vec![0; 4096];
    loop {
        let count = errors.read(&mut piece).await?;
        if count == 0 {
            return Ok(());
        }
        let mut report = report.borrow_mut();
        report.extend(&piece[..count]);
        let excess = report.len().saturating_sub(LONGEST_REPORT);
        report.drain(..excess);
    }
}
