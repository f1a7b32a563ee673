//! A thread that goes to sleep in a system call, which a signal can interrupt.
//!
//! To show what happens to a sleeping thread, a scene has to know that the thread is asleep. The
//! kernel reports that, so we don't have to guess how long falling asleep takes.

use std::fs;
use std::os::unix::fs::FileExt;
use std::os::unix::thread::JoinHandleExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;

use crate::check::check;
use crate::proc::Stat;
use crate::waits::Call;

/// The number of times that the handler of SIGUSR1 has run.
static HANDLED: AtomicUsize = AtomicUsize::new(0);

/// A thread that goes to sleep in a system call.
#[derive(Debug)]
pub struct Sleeper {
    thread: JoinHandle<String>,
    /// The thread's directory in `/proc`.
    proc: PathBuf,
    /// True once the thread is about to make the call. Sleeps before that moment don't count.
    begun: Arc<AtomicBool>,
}

impl Sleeper {
    /// Starts a thread that runs `call`.
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

    /// Waits until the thread is asleep or has ended.
    pub fn wait_until_asleep(&self) -> anyhow::Result<()> {
        while !(self.is_finished() || self.begun.load(SeqCst) && self.is_asleep()?) {
            thread::yield_now();
        }
        Ok(())
    }

    /// Returns true if the call has returned.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Returns the arguments of the system call in which the thread is asleep. The timeout is the
    /// fourth argument (index 3) of `epoll_wait(2)` and the third (index 2) of `poll(2)`. Returns
    /// `None` if the thread has ended or is running, or if the kernel doesn't report the arguments.
    /// See `proc_pid_syscall(5)`.
    pub fn arguments(&self) -> Option<Vec<u64>> {
        let text = fs::read_to_string(self.proc.join("syscall")).ok()?;
        let mut words = text.split_whitespace();
        words.next()?.parse::<i64>().ok()?;
        let number = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok();
        words.take(6).map(number).collect()
    }

    /// Returns the timeout of the call to `epoll_wait(2)`, or to a variant of it, in which the
    /// thread is asleep. The result is in whole milliseconds, rounded up, or `None` if the call has
    /// no timeout.
    ///
    /// Fails if the thread has ended or is running, or if the kernel doesn't report the call.
    pub fn timeout(&self) -> anyhow::Result<Option<Duration>> {
        let arguments = self.arguments().context("the thread isn't asleep in a system call")?;
        let timeout = *arguments.get(3).context("a system call has more arguments")?;
        if self.call() == Some(libc::SYS_epoll_pwait2) {
            return if timeout == 0 { Ok(None) } else { timespec_at(timeout).map(Some) };
        }
        // The timeout is an int, and a negative value means no timeout.
        let milliseconds = u32::try_from(timeout & u64::from(u32::MAX))?;
        let milliseconds = u64::try_from(milliseconds.cast_signed()).ok();
        Ok(milliseconds.map(Duration::from_millis))
    }

    /// Returns the number of the system call in which the thread is asleep. Returns `None` if the
    /// thread has ended or is running, or if the kernel doesn't report the call.
    fn call(&self) -> Option<libc::c_long> {
        let text = fs::read_to_string(self.proc.join("syscall")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    }

    fn is_asleep(&self) -> anyhow::Result<bool> {
        match Stat::of(&self.proc) {
            Ok(stat) => Ok(stat.is_asleep()),
            // The thread has ended in the meantime.
            Err(_) if self.is_finished() => Ok(false),
            Err(error) => Err(error).with_context(|| self.proc.display().to_string()),
        }
    }

    /// Sends SIGUSR1 to the thread and waits until the handler has run or the thread has ended.
    /// Call [`count_signals`] first: without its handler, SIGUSR1 would end the process.
    pub fn interrupt(&self) -> anyhow::Result<()> {
        let handled_before = HANDLED.load(SeqCst);
        // SAFETY: the thread hasn't been joined, so its handle is valid.
        let sent = unsafe { libc::pthread_kill(self.thread.as_pthread_t(), libc::SIGUSR1) };
        anyhow::ensure!(sent == 0, "pthread_kill: error {sent}");
        while HANDLED.load(SeqCst) == handled_before && !self.is_finished() {
            thread::yield_now();
        }
        Ok(())
    }

    /// Interrupts the call in which the thread is asleep and returns the call's result. If the
    /// thread falls asleep in the same call again, instead returns a sentence that says so.
    pub fn interrupted(self) -> anyhow::Result<String> {
        if self.is_finished() {
            return self.join();
        }
        let asleep_in = self.call();
        self.interrupt()?;
        self.wait_until_asleep()?;
        match asleep_in {
            Some(call) if !self.is_finished() && self.call() == asleep_in => {
                Ok(format!("woke with EINTR and called {} again", name_of(call)))
            }
            _ => self.join(),
        }
    }

    /// Waits until the call has returned and returns its result.
    pub fn join(self) -> anyhow::Result<String> {
        self.thread.join().ok().context("the sleeping thread panicked")
    }
}

fn name_of(call: libc::c_long) -> &'static str {
    match call {
        libc::SYS_connect => "connect",
        // On newer architectures, which don't have poll(2), the C library's `poll` makes this call.
        libc::SYS_ppoll => "poll",
        _ => Call::with_number(call).map_or("the interrupted function", |call| call.name),
    }
}

/// Reads the two 64-bit numbers of a timespec at an address in this process and rounds the time up
/// to milliseconds.
fn timespec_at(address: u64) -> anyhow::Result<Duration> {
    let mut bytes = [0; 16];
    fs::File::open("/proc/self/mem")?.read_exact_at(&mut bytes, address)?;
    let [seconds, nanos] = bytes.as_chunks::<8>().0 else {
        anyhow::bail!("16 bytes are two numbers");
    };
    let millis = u64::from_ne_bytes(*nanos).div_ceil(1_000_000);
    Ok(Duration::from_secs(u64::from_ne_bytes(*seconds)) + Duration::from_millis(millis))
}

/// Installs a handler that counts each SIGUSR1. The handler is installed without `SA_RESTART`, so
/// that interrupted calls return.
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
