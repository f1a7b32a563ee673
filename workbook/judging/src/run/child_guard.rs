//! Keeps a list of the processes that the runner starts, so that they end if Ctrl-C, SIGTERM or
//! SIGHUP ends the runner. Such a signal that's ignored, as SIGHUP is under `nohup`, stays ignored.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kit::proc::Stat;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::events::await_end;
use super::strays::dir_of;
use super::{directory, strays};

/// How long a judge has to end what it has started, once it's asked to.
const GRACE_OF_JUDGES: Duration = Duration::from_secs(5);
/// How long we wait between two looks at it.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

static STARTED: Mutex<Vec<Started>> = Mutex::new(Vec::new());
static HANDLE_SIGNALS: Once = Once::new();

/// What else is to be done before a signal ends the runner.
static ON_EXIT: OnceLock<fn()> = OnceLock::new();

/// Sets what else is to be done before Ctrl-C, SIGTERM or SIGHUP ends the runner. Only the first
/// call counts.
pub fn on_exit(tidy_up: fn()) {
    // An error means that it's set.
    let _ = ON_EXIT.set(tidy_up);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Started {
    /// A scene, in a process group of its own.
    Group(Pid),
    /// A cargo process, in our own group, so the terminal's Ctrl-C reaches both cargo and us.
    Process(Pid),
    /// A judge in a process group of its own, with its cargo and its compilers. It ends its scenes
    /// itself.
    Judge(Pid),
}

/// A child process. While this value exists, a signal that ends the runner ends the child too.
#[derive(Debug)]
pub struct ChildGuard {
    /// The child.
    pub child: Child,
    started: Started,
    is_reaped: bool,
}

/// Starts a child in a process group of its own.
pub fn spawn_group(command: &mut Command) -> io::Result<ChildGuard> {
    spawn(command.process_group(0), Started::Group)
}

/// Returns true for a process that we started and haven't reaped.
pub(super) fn is_ours(process: Pid) -> bool {
    let is_it = |it: &Started| {
        let (Started::Group(pid) | Started::Process(pid) | Started::Judge(pid)) = *it;
        pid == process
    };
    started().iter().any(is_it)
}

/// Starts a child in our own process group.
pub fn spawn_process(command: &mut Command) -> io::Result<ChildGuard> {
    spawn(command, Started::Process)
}

/// Starts a judge in a process group of its own.
pub fn spawn_judge(command: &mut Command) -> io::Result<ChildGuard> {
    spawn(command.process_group(0), Started::Judge)
}

fn spawn(command: &mut Command, kind: fn(Pid) -> Started) -> io::Result<ChildGuard> {
    HANDLE_SIGNALS.call_once(end_all_on_a_signal);
    // We hold the lock while we spawn, so the thread that handles signals can't miss the new child.
    let mut all = started();
    let child = command.spawn()?;
    let started = kind(Pid::from_child(&child));
    all.push(started);
    Ok(ChildGuard { child, started, is_reaped: false })
}

/// Runs a command to its end and returns what it printed on standard output.
///
/// While scenes run, a child that isn't on the list would be taken for one that a scene has left
/// behind, and reaped.
pub fn output_of(command: &mut Command) -> io::Result<(ExitStatus, Vec<u8>)> {
    let mut guard = spawn_process(command.stdin(Stdio::null()).stdout(Stdio::piped()))?;
    let mut output = Vec::new();
    if let Some(mut stdout) = guard.child.stdout.take() {
        stdout.read_to_end(&mut output)?;
    }
    Ok((guard.wait()?, output))
}

impl ChildGuard {
    /// Returns the child's ID.
    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Kills a scene and its group and sends SIGTERM to another child, or to a judge's group. The
    /// child must not have been reaped, or its ID could already be another process's.
    pub fn end(&self) {
        self.started.end();
    }

    /// Waits until the child has ended, reaps it, and takes it off the list. Both happen under the
    /// list's lock: from then on its ID can be another process's, which Ctrl-C must not end.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        await_end(self.pid());
        let mut all = started();
        let status = self.child.wait();
        self.is_reaped = true;
        all.retain(|&other| other != self.started);
        status
    }
}

impl Drop for ChildGuard {
    fn drop(&mut self) {
        if !self.is_reaped {
            started().retain(|&other| other != self.started);
        }
    }
}

impl Started {
    fn judge(self) -> Option<Pid> {
        if let Started::Judge(pid) = self { Some(pid) } else { None }
    }

    fn end(self) {
        // What has inherited from us that SIGTERM is ignored can't be asked.
        let please = if kit::is_ignored(SIGTERM) { Signal::KILL } else { Signal::TERM };
        // An error means that nothing is left to end.
        let _ = match self {
            // The process itself can have moved to another group.
            Started::Group(pid) => {
                kill_process_group(pid, Signal::KILL).and(kill_process(pid, Signal::KILL))
            }
            Started::Process(pid) => kill_process(pid, please),
            // Its page can have stopped it, and then it would never see that it's asked to end.
            Started::Judge(pid) => {
                kill_process_group(pid, please).and(kill_process_group(pid, Signal::CONT))
            }
        };
    }
}

fn started() -> MutexGuard<'static, Vec<Started>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a thread that waits for Ctrl-C, SIGTERM or a closed terminal, and then ends all.
fn end_all_on_a_signal() {
    let heard = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !kit::is_ignored(signal));
    let Ok(mut signals) = Signals::new(heard) else {
        return;
    };
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            end_all_and_exit(128 + signal);
        }
    });
}

/// Ends the runner, and before it all that it has started, and what those have left behind.
pub fn end_all_and_exit(code: i32) -> ! {
    // We keep the lock, so that no thread can start another process.
    let all = started();
    all.iter().copied().for_each(Started::end);
    let judges: Vec<Pid> = all.iter().copied().filter_map(Started::judge).collect();
    strays::end_all_but(&judges);
    await_judges(&judges);
    directory::remove_all();
    if let Some(tidy_up) = ON_EXIT.get() {
        tidy_up();
    }
    std::process::exit(code);
}

/// Waits for judges to end what they've started, and to end themselves. What a page has started can
/// stop its judge once more, and then it needs another SIGCONT.
fn await_judges(judges: &[Pid]) {
    let asked = Instant::now();
    loop {
        let stats =
            judges.iter().filter_map(|&judge| Some((judge, Stat::of(&dir_of(judge)).ok()?)));
        let alive: Vec<(Pid, Stat)> = stats.filter(|(_, stat)| stat.is_alive()).collect();
        let is_too_late = asked.elapsed() > GRACE_OF_JUDGES;
        for &(judge, stat) in &alive {
            // An error means that nothing is left to end.
            let _ = match () {
                // Its scenes end with it.
                () if is_too_late => kill_process_group(judge, Signal::KILL),
                () if stat.is_stopped() => kill_process_group(judge, Signal::CONT),
                () => Ok(()),
            };
        }
        if alive.is_empty() || is_too_late {
            return;
        }
        thread::sleep(BETWEEN_LOOKS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_is_reaped_is_off_the_list() {
        let mut guard = spawn_group(&mut Command::new("true")).expect("start it");
        let pid = guard.pid();
        assert!(is_ours(pid));
        assert!(guard.wait().expect("wait for it").success());
        assert!(!is_ours(pid));
    }
}
