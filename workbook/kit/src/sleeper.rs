//! A thread that goes to sleep in a system call, and a signal that wakes it.
//!
//! To show what happens to a sleeper one must know that it sleeps. The kernel tells: no clock, and
//! no guess how long it may take.

use std::fs;
use std::os::unix::thread::JoinHandleExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

use anyhow::Context;

use crate::check::check;
use crate::proc::Stat;

/// How often the handler ran.
static HANDLED: AtomicUsize = AtomicUsize::new(0);

/// A thread that goes to sleep in a system call.
#[derive(Debug)]
pub struct Sleeper {
    thread: JoinHandle<String>,
    /// Where the kernel says what the thread does.
    proc: PathBuf,
    /// Set when nothing lies between the thread and its system call.
    begun: Arc<AtomicBool>,
}

impl Sleeper {
    /// Starts a thread that makes `call`.
    pub fn start(call: impl FnOnce() -> String + Send + 'static) -> anyhow::Result<Self> {
        let begun = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn({
            let begun = Arc::clone(&begun);
            move || {
                let _ = sender.send(fs::read_link("/proc/thread-self"));
                begun.store(true, SeqCst);
                call()
            }
        });
        let task = receiver.recv()??;
        Ok(Sleeper { thread, proc: Path::new("/proc").join(task), begun })
    }

    /// Returns when the thread is asleep, or at its end.
    pub fn wait_until_asleep(&self) -> anyhow::Result<()> {
        while !(self.is_finished() || self.begun.load(SeqCst) && self.is_asleep()?) {
            thread::yield_now();
        }
        Ok(())
    }

    /// Whether the call came back.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    fn is_asleep(&self) -> anyhow::Result<bool> {
        match Stat::of(&self.proc) {
            Ok(stat) => Ok(stat.is_asleep()),
            // The thread has ended in the meantime.
            Err(_) if self.is_finished() => Ok(false),
            Err(error) => Err(error).with_context(|| self.proc.display().to_string()),
        }
    }

    /// Sends the thread SIGUSR1 and returns when it was handled.
    pub fn interrupt(&self) -> anyhow::Result<()> {
        let handled_before = HANDLED.load(SeqCst);
        // SAFETY: the thread was not joined yet, so its handle is valid.
        let sent = unsafe { libc::pthread_kill(self.thread.as_pthread_t(), libc::SIGUSR1) };
        anyhow::ensure!(sent == 0, "pthread_kill: error {sent}");
        while HANDLED.load(SeqCst) == handled_before && !self.is_finished() {
            thread::yield_now();
        }
        Ok(())
    }

    /// What the call came back with.
    pub fn join(self) -> anyhow::Result<String> {
        self.thread.join().ok().context("the sleeping thread panicked")
    }
}

/// Handles SIGUSR1 by counting it, and without `SA_RESTART`: interrupted calls shall tell.
pub fn count_signals() -> anyhow::Result<()> {
    // SAFETY: all zeros is a valid sigaction: default action, no flags, no signals blocked.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = count_signal as extern "C" fn(libc::c_int) as usize;
    // SAFETY: the action is valid, and its handler only touches an atomic.
    let set = unsafe { libc::sigaction(libc::SIGUSR1, &raw const action, std::ptr::null_mut()) };
    check(set, "sigaction SIGUSR1")?;
    Ok(())
}

extern "C" fn count_signal(_: libc::c_int) {
    HANDLED.fetch_add(1, SeqCst);
}
