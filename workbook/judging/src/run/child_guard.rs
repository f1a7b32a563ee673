//! Keeps a list of the processes that the runner starts, so that these processes are stopped if
//! Ctrl-C, SIGTERM or SIGHUP ends the runner. If such a signal is ignored, as SIGHUP is under
//! `nohup`, it stays ignored.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kit::proc::{Stat, dir_of};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::events::await_end;
use super::{directory, strays};

/// The time limit, counted from our SIGTERM, for a judge to kill everything that it has started.
const GRACE_OF_JUDGES: Duration = Duration::from_secs(5);
/// The interval at which we check whether a judge has ended.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

static STARTED: Mutex<Vec<Started>> = Mutex::new(Vec::new());
static HANDLE_SIGNALS: Once = Once::new();

/// The action that [`end_all_and_exit`] carries out just before it exits.
static ON_EXIT: OnceLock<fn()> = OnceLock::new();

/// Sets the action that [`end_all_and_exit`] carries out just before it exits, for instance after
/// Ctrl-C. Only the first call has an effect.
pub fn on_exit(tidy_up: fn()) {
    // An error means that an action is already set.
    let _ = ON_EXIT.set(tidy_up);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Started {
    /// A process in a separate process group that we kill without a SIGTERM: a scene, a sandbox's
    /// cargo, or the grader's judge.
    Group(Pid),
    /// A process in our own group, such as cargo. The terminal's Ctrl-C reaches both that process
    /// and us.
    Process(Pid),
    /// A judge in a separate process group, with its cargo and its compilers. When the judge
    /// receives SIGTERM, it kills its scenes, each of which is in a separate group.
    Judge(Pid),
}

/// A child process. While this value exists, a signal that ends the runner also stops the child.
#[derive(Debug)]
pub struct ChildGuard {
    /// The child.
    pub child: Child,
    started: Started,
    is_reaped: bool,
}

/// Starts a child in a separate process group.
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

/// Starts a judge in a separate process group.
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

/// Runs a command to its end. Returns the command's exit status and standard output.
///
/// Keeps the command on the list of our processes until the command has ended. After a scene, we
/// reap every dead child that isn't on the list and kill any living child that the scene may have
/// left behind.
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

    /// Kills a child from [`spawn_group`] together with its group. Sends SIGTERM, or SIGKILL if we
    /// ignore SIGTERM, to a child from [`spawn_process`] or to the group of a child from
    /// [`spawn_judge`]. The child mustn't have been reaped, because its ID could then belong to a
    /// different process.
    pub fn end(&self) {
        self.started.end();
    }

    /// Waits until the child has ended, reaps it, and removes it from the list. Holds the list's
    /// lock for the last two steps, since a different process can get the ID as soon as the child
    /// is reaped, and Ctrl-C mustn't stop that process.
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
        // SIGTERM can't stop a process that has inherited an ignored SIGTERM from us.
        let please = if kit::is_ignored(SIGTERM) { Signal::KILL } else { Signal::TERM };
        // An error means that no process is left.
        let _ = match self {
            // The process itself may have moved to another group.
            Started::Group(pid) => {
                kill_process_group(pid, Signal::KILL).and(kill_process(pid, Signal::KILL))
            }
            Started::Process(pid) => kill_process(pid, please),
            // A page may have suspended its judge. A suspended judge can't handle the SIGTERM, so
            // resume it.
            Started::Judge(pid) => {
                kill_process_group(pid, please).and(kill_process_group(pid, Signal::CONT))
            }
        };
    }
}

fn started() -> MutexGuard<'static, Vec<Started>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a thread that waits for SIGINT, SIGTERM or SIGHUP, unless that signal is ignored, and
/// then calls [`end_all_and_exit`].
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

/// Stops all processes that the runner has started and all strays that those processes have left
/// behind, and then exits.
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

/// Waits for judges to kill their processes and exit. Kills a judge that takes too long. A process
/// that a page has started can suspend its judge again, so we may have to send another SIGCONT.
fn await_judges(judges: &[Pid]) {
    let asked = Instant::now();
    loop {
        let stats =
            judges.iter().filter_map(|&judge| Some((judge, Stat::of(&dir_of(judge)).ok()?)));
        let alive: Vec<(Pid, Stat)> = stats.filter(|(_, stat)| stat.is_alive()).collect();
        let is_too_late = asked.elapsed() > GRACE_OF_JUDGES;
        for &(judge, stat) in &alive {
            // An error means that no process is left.
            let _ = match () {
                // The kernel kills the judge's scenes when the judge dies.
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
