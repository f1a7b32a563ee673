//! A thread whose system calls we can observe and refuse one by one.
//!
//! A [`Refusal`] lasts as long as its thread. So if code retries after an error, or tries something
//! else with the same call, the second attempt fails, too, and we can't observe what the code does
//! after a single error. Here, the kernel refuses a single call of our choice, and each observed
//! call is counted. See `seccomp(2)`, `SECCOMP_RET_USER_NOTIF`.

use std::cell::Cell;
use std::io::{self, ErrorKind};
use std::os::fd::{FromRawFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::abort;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, JoinHandle};

use anyhow::Context;

use crate::refusal::message;
use crate::stops::{Stop, stop_at_others};
use crate::{OneCpu, Refusal, Transfers};

/// Calls that aren't observed. Allocators, locks, clocks, hash maps, signal handlers and ending
/// threads make such calls at moments that a function's author can't foresee.
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
    libc::SYS_rt_sigreturn,
    libc::SYS_restart_syscall,
    libc::SYS_sigaltstack,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

type Job = Box<dyn FnOnce() + Send>;

/// An observer of system calls, with the thread that makes the calls.
#[derive(Debug)]
pub struct Observer {
    /// `None` only while the observer is being dropped.
    parts: Option<(SyncSender<Job>, OwnedFd)>,
    thread: Option<JoinHandle<()>>,
    has_refused: Cell<bool>,
    transfers: Transfers,
    // The two threads take turns, which is fastest on a single CPU.
    _one_cpu: OneCpu,
}

impl Observer {
    /// Creates an observer and starts its thread.
    ///
    /// Fails if the kernel can't report a thread's calls or doesn't let this process receive such
    /// reports.
    pub fn new() -> anyhow::Result<Self> {
        let one_cpu = OneCpu::here();
        let (jobs, for_thread) = mpsc::sync_channel::<Job>(1);
        let (listener, from_thread) = mpsc::sync_channel(1);
        let thread = thread::spawn(move || {
            let _ = listener.send(stop_at_others(ANYBODYS));
            do_jobs(&for_thread);
        });
        let listener = from_thread.recv().context("the thread to observe has ended")??;
        // SAFETY: the kernel has just made the descriptor, and it has no other owner.
        let listener = unsafe { OwnedFd::from_raw_fd(listener) };
        Ok(Observer {
            parts: Some((jobs, listener)),
            thread: Some(thread),
            has_refused: Cell::new(false),
            transfers: Transfers::default(),
            _one_cpu: one_cpu,
        })
    }

    /// Runs `f` in the thread. Returns the result of `f` and the number of system calls that `f`
    /// makes. Calls for memory and locks, for example, don't count.
    ///
    /// # Panics
    /// Panics if `f` panics, with the same message.
    pub fn calls_of<T: Send>(&self, f: impl FnOnce() -> T + Send) -> (T, usize) {
        self.refusing(&[], 0, f)
    }

    /// Like [`calls_of`](Observer::calls_of), but the kernel refuses a single call. Of the calls
    /// that match a refusal, the first `spared` calls go through, and the next call is refused.
    ///
    /// # Panics
    /// Panics if `f` panics, with the same message.
    pub fn refusing<T: Send>(
        &self,
        refusals: &[Refusal],
        spared: usize,
        f: impl FnOnce() -> T + Send,
    ) -> (T, usize) {
        let mut done = None;
        let job = || done = Some(catch_unwind(AssertUnwindSafe(f)));
        let calls = self.watch(refusals, spared, Box::new(job));
        match done {
            Some(Ok(done)) => (done, calls),
            Some(Err(panic)) => panic!("{}", message(&*panic)),
            None => panic!("the observed thread has ended"),
        }
    }

    /// Returns the counts of the thread's calls that move bytes. The counts can be read while a job
    /// is running.
    pub fn transfers(&self) -> Transfers {
        self.transfers.clone()
    }

    /// Returns true if the kernel refused a call in the last run. It refuses none if every call
    /// that matches is spared.
    pub fn has_refused(&self) -> bool {
        self.has_refused.get()
    }

    /// Hands a job to the thread and answers the thread's calls until the job is done. Returns the
    /// number of calls.
    fn watch<'a>(
        &self,
        refusals: &[Refusal],
        mut spared: usize,
        job: Box<dyn FnOnce() + Send + 'a>,
    ) -> usize {
        let Some((jobs, listener)) = &self.parts else { return 0 };
        // SAFETY: only the lifetime changes. The thread has consumed the job by the time it makes
        // the call that we wait for below, and if we can't wait, the process aborts.
        let job = unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + 'a>, Job>(job) };
        if jobs.send(job).is_err() {
            return 0;
        }
        let (mut calls, mut has_refused) = (0, false);
        loop {
            let stop = match Stop::of_the_next_call(listener) {
                Ok(stop) => stop,
                // A signal has interrupted this thread or the observed thread.
                Err(error) if is_passing(&error) => continue,
                Err(_) => abort(),
            };
            self.transfers.note(stop);
            let refusal = refusals.iter().find(|refusal| !has_refused && stop.concerns(refusal));
            let answered = match refusal {
                Some(refusal) if spared == 0 => {
                    has_refused = true;
                    stop.refuse(listener, refusal.errno)
                }
                _ => {
                    spared -= usize::from(refusal.is_some());
                    stop.go_on(listener)
                }
            };
            if answered.is_err_and(|error| !is_passing(&error)) {
                abort();
            }
            if stop.is(LAST_OF_A_JOB) {
                self.has_refused.set(has_refused);
                return calls;
            }
            calls += 1;
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::NotFound)
}

/// The call that the thread makes after each job. The call has no effect, and no job needs it.
const LAST_OF_A_JOB: libc::c_long = libc::SYS_getppid;

fn do_jobs(jobs: &Receiver<Job>) {
    for job in jobs {
        job();
        // SAFETY: getppid takes nothing and touches no memory of ours.
        unsafe { libc::syscall(LAST_OF_A_JOB) };
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        // Without a listener, no call stops the thread any more, so the thread can end.
        self.parts = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Write};

    #[test]
    fn a_single_call_is_refused_and_all_are_counted() {
        let (mut reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"hello").unwrap();
        let refusals = Refusal::of_reads(libc::EIO);
        let mut buffer = [0; 2];
        let mut read = || reader.read(&mut buffer).map_err(|error| error.raw_os_error());
        let observer = Observer::new().unwrap();
        let first = observer.refusing(&refusals, 0, || (read(), read()));
        assert_eq!(first, ((Err(Some(libc::EIO)), Ok(2)), 2));
        assert!(observer.has_refused());
        assert_eq!(observer.calls_of(&mut read), (Ok(2), 1));
        assert!(!observer.has_refused());
        let spared = observer.refusing(&refusals, 1, || (read(), read()));
        assert_eq!(spared, ((Ok(1), Err(Some(libc::EIO))), 2));
    }

    #[test]
    fn a_refusal_can_be_about_an_argument() {
        let file = File::open("/dev/null").unwrap();
        let command = libc::F_GETFD.unsigned_abs();
        let refusal =
            Refusal { call: libc::SYS_fcntl, argument: Some((1, command)), errno: libc::EIO };
        let both = || (file.try_clone(), rustix::io::fcntl_getfd(&file));
        let ((copied, flags), calls) = Observer::new().unwrap().refusing(&[refusal], 0, both);
        assert!(copied.is_ok(), "another argument");
        assert_eq!(flags.unwrap_err().raw_os_error(), libc::EIO);
        assert_eq!(calls, 2);
    }

    #[test]
    #[should_panic(expected = "the same message")]
    fn a_panic_is_passed_on() {
        let is_right = Observer::new().unwrap().calls_of(|| 1 + 1).0 == 2;
        Observer::new().unwrap().calls_of(|| assert!(!is_right, "the same message"));
    }
}
