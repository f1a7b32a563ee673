//! A thread whose system calls we see one by one, and can refuse one by one.
//!
//! A [`Refusal`] lasts as long as its thread. So code that tries again after an error fails again,
//! as does code that tries something else by the same call, and nobody sees the second attempt. Here
//! the kernel refuses one call, once, and each call is counted. See `seccomp(2)`,
//! `SECCOMP_RET_USER_NOTIF`.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use anyhow::Context;

use crate::check::check;
use crate::refusal::message;
use crate::stops::{Stop, stop_at_others};
use crate::{OneCpu, Refusal};

/// Calls that don't count: allocators, locks, clocks and the end of a thread make them, and nobody
/// who writes a function can tell when.
const ANYBODYS: &[libc::c_long] = &[
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_mprotect,
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_restart_syscall,
    libc::SYS_sigaltstack,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// The observer of a thread's system calls.
#[derive(Debug, Default)]
pub struct Observer {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Of the calls that these are about, one is refused.
    refusals: Vec<Refusal>,
    /// How many of them go on before.
    spared: usize,
    calls: usize,
}

impl Observer {
    /// Runs `f` in a thread that is observed.
    ///
    /// Fails if the kernel can't report the calls of a thread, or doesn't allow it here.
    ///
    /// # Panics
    /// If `f` panics, with the same message.
    pub fn during<T: Send>(f: impl FnOnce(&Observer) -> T + Send) -> anyhow::Result<T> {
        let observer = Observer::default();
        // Both threads sleep in turns.
        let _one_cpu = OneCpu::here();
        let (sender, receiver) = mpsc::sync_channel(1);
        thread::scope(|scope| {
            let thread = scope.spawn(|| {
                // The listener can only be handed over without a system call that it reports.
                sender.send(stop_at_others(ANYBODYS)).map_err(io::Error::other)?;
                Ok::<T, io::Error>(f(&observer))
            });
            let listener = receiver.recv().context("the thread to observe is gone")??;
            // SAFETY: the kernel has just made the descriptor, and it has no other owner.
            let listener = unsafe { OwnedFd::from_raw_fd(listener) };
            while is_stopped(&listener)? {
                observer.answer(Stop::of_the_next_call(&listener)?, &listener)?;
            }
            match thread.join() {
                Ok(done) => Ok(done?),
                Err(panic) => panic!("{}", message(&*panic)),
            }
        })
    }

    /// Runs `f`, and counts the system calls that it makes, without those for memory and locks.
    ///
    /// Call it in the thread that is observed.
    pub fn calls_of<T>(&self, f: impl FnOnce() -> T) -> (T, usize) {
        self.refusing(&[], 0, f)
    }

    /// Runs `f` while the kernel refuses a single call, and counts all calls. It's one that a refusal
    /// is about: the first one, after as many have gone on as are `spared`.
    ///
    /// Call it in the thread that is observed.
    pub fn refusing<T>(
        &self,
        refusals: &[Refusal],
        spared: usize,
        f: impl FnOnce() -> T,
    ) -> (T, usize) {
        *self.state() = State { refusals: refusals.to_vec(), spared, calls: 0 };
        let done = f();
        (done, std::mem::take(&mut *self.state()).calls)
    }

    fn answer(&self, stop: Stop, listener: &OwnedFd) -> io::Result<()> {
        let refusal = {
            let mut state = self.state();
            state.calls += 1;
            let refusal = state.refusals.iter().find(|refusal| stop.concerns(refusal)).copied();
            match refusal {
                Some(_) if state.spared > 0 => {
                    state.spared -= 1;
                    None
                }
                Some(_) => {
                    state.refusals.clear();
                    refusal
                }
                None => None,
            }
        };
        match refusal {
            Some(refusal) => stop.refuse(listener, refusal.errno),
            None => stop.go_on(listener),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until the thread is at a call. Returns false if it has ended.
fn is_stopped(listener: &OwnedFd) -> io::Result<bool> {
    let mut wait = libc::pollfd { fd: listener.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: `wait` is one pollfd, which the kernel fills in.
    check(unsafe { libc::poll(&raw mut wait, 1, -1) }, "poll")?;
    Ok(wait.revents & libc::POLLIN != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Write};

    #[test]
    fn one_call_is_refused_and_all_are_counted() {
        let (mut reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"hello").unwrap();
        let refusals = [Refusal::of_reads(libc::EIO)];
        let mut buffer = [0; 2];
        let mut read = || reader.read(&mut buffer).map_err(|error| error.raw_os_error());
        let (first, then, spared) = Observer::during(|observer| {
            let first = observer.refusing(&refusals, 0, || (read(), read()));
            let then = observer.calls_of(&mut read);
            (first, then, observer.refusing(&refusals, 1, || (read(), read())))
        })
        .unwrap();
        assert_eq!(first, ((Err(Some(libc::EIO)), Ok(2)), 2));
        assert_eq!(then, (Ok(2), 1));
        assert_eq!(spared, ((Ok(1), Err(Some(libc::EIO))), 2));
    }

    #[test]
    fn a_refusal_can_be_about_an_argument() {
        let file = File::open("/dev/null").unwrap();
        let command = libc::F_GETFD.unsigned_abs();
        let refusal =
            Refusal { call: libc::SYS_fcntl, argument: Some((1, command)), errno: libc::EIO };
        let both = || (file.try_clone(), rustix::io::fcntl_getfd(&file));
        let ((copied, flags), calls) =
            Observer::during(|observer| observer.refusing(&[refusal], 0, both)).unwrap();
        assert!(copied.is_ok(), "another argument");
        assert_eq!(flags.unwrap_err().raw_os_error(), libc::EIO);
        assert_eq!(calls, 2);
    }
}
