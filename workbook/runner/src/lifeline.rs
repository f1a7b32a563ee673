//! Everything the runner starts, so that it can all be ended when the runner is.

use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

static STARTED: Mutex<Vec<Started>> = Mutex::new(Vec::new());
static WATCH: Once = Once::new();

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Started {
    /// A scene, in a process group of its own.
    Group(Pid),
    /// A cargo, which shares our group and the terminal's Ctrl-C with us.
    Process(Pid),
}

/// A child that is ended if the runner is told to end while this lives.
#[derive(Debug)]
pub(crate) struct Tied {
    pub(crate) child: Child,
    started: Started,
}

/// Starts a child in a process group of its own.
pub(crate) fn spawn_group(command: &mut Command) -> io::Result<Tied> {
    use std::os::unix::process::CommandExt;
    spawn(command.process_group(0), Started::Group)
}

/// Starts a child in our own process group.
pub(crate) fn spawn_process(command: &mut Command) -> io::Result<Tied> {
    spawn(command, Started::Process)
}

fn spawn(command: &mut Command, kind: fn(Pid) -> Started) -> io::Result<Tied> {
    WATCH.call_once(end_all_on_a_signal);
    // Held while we spawn: a signal in between waits, and then finds the child in the list.
    let mut all = started();
    let child = command.spawn()?;
    let started = kind(Pid::from_child(&child));
    all.push(started);
    Ok(Tied { child, started })
}

impl Tied {
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Kills the child, and with a group everything in it. The child must not be reaped yet, or
    /// its number could belong to somebody else.
    pub(crate) fn end(&self) {
        self.started.end();
    }
}

impl Drop for Tied {
    fn drop(&mut self) {
        started().retain(|&other| other != self.started);
    }
}

impl Started {
    fn end(self) {
        // It may have ended by itself; then there is nobody to kill.
        let _ = match self {
            Started::Group(pid) => kill_process_group(pid, Signal::KILL),
            Started::Process(pid) => kill_process(pid, Signal::TERM),
        };
    }
}

fn started() -> MutexGuard<'static, Vec<Started>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ctrl-C, a polite kill, or a closed terminal: everything we started ends, and so do we.
fn end_all_on_a_signal() {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else {
        return;
    };
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let all = started();
            all.iter().copied().for_each(Started::end);
            // Still holding the lock, so that nothing new is started.
            std::process::exit(128 + signal);
        }
    });
}
