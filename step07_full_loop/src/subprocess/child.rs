//! A process, as its parent knows it: until someone fetches its status, a process that has ended stays
//! in the kernel's table, as a zombie.
//!
//! So the loop fetches it, whether or not a task waits. It watches the process's descriptor and holds
//! the child until the end. When the loop is closed before that, the child is killed, as CPython 3.12
//! and later do it.

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{self, ExitStatus};
use std::rc::Rc;

use step01_fd::{CallError, pidfd_open, pidfd_send_signal};
use step06_tasks::{ExceptionContext, Future, Handle, Result};

use crate::event_loop::{Direction, EventLoop};

/// asyncio's return code for a child whose status someone else has fetched.
const UNKNOWN: i32 = 255;

pub(super) struct Child {
    event_loop: EventLoop,
    pidfd: OwnedFd,
    process: RefCell<process::Child>,
    returncode: Cell<Option<i32>>,
    /// A future for each wait. The status stays, so a wait that's cancelled loses nothing.
    waiters: RefCell<Vec<Future<i32>>>,
}

impl Child {
    /// Watches a process that was started just now. If that fails, it's killed and fetched.
    pub(super) fn watch(event_loop: &EventLoop, mut process: process::Child) -> Result<Rc<Self>> {
        // Its status wasn't fetched, so its number is still its own.
        let pidfd = match pidfd_open(process.id()) {
            Ok(pidfd) => pidfd,
            Err(error) => {
                let _ = process.kill().and_then(|()| process.wait());
                return Err(error.into());
            }
        };
        let child = Rc::new(Child {
            event_loop: event_loop.clone(),
            pidfd,
            process: RefCell::new(process),
            returncode: Cell::default(),
            waiters: RefCell::default(),
        });
        let watched = Rc::clone(&child);
        let handle = Handle::repeating(move || watched.has_ended());
        event_loop.set_callback(&child.pidfd, Direction::Read, handle)?;
        Ok(child)
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.borrow().id()
    }

    pub(super) fn returncode(&self) -> Option<i32> {
        self.returncode.get()
    }

    /// Sends a signal to this process, and never to another one that has got its number.
    pub(super) fn send_signal(&self, signal: i32) -> io::Result<()> {
        if self.returncode().is_some() {
            let call = format!("send signal {signal} to pid {}", self.pid());
            return Err(CallError::wrap(call, io::Error::from_raw_os_error(libc::ESRCH)));
        }
        pidfd_send_signal(&self.pidfd, signal)
    }

    /// Waits for the end, and returns how it ended.
    pub(super) async fn wait(&self) -> Result<i32> {
        if let Some(returncode) = self.returncode() {
            return Ok(returncode);
        }
        let wait = Wait(self.event_loop.create_future());
        self.add_waiter(wait.0.clone());
        wait.0.clone().await
    }

    /// Adds a waiter, and removes those that have given up.
    fn add_waiter(&self, waiter: Future<i32>) {
        let mut waiters = self.waiters.borrow_mut();
        waiters.retain(|other| other.is_shared() && !other.done());
        waiters.push(waiter);
    }

    /// Fetches the status, and wakes the tasks that wait.
    fn has_ended(&self) {
        let fetched = self.process.borrow_mut().try_wait();
        let returncode = match fetched {
            // Woken for nothing.
            Ok(None) => return,
            Ok(Some(status)) => returncode_of(status),
            Err(error) => self.report_unknown(error),
        };
        self.returncode.set(Some(returncode));
        // It fails only if the selector doesn't know it, and then there's nothing to remove.
        let _ = self.event_loop.clear_callback(&self.pidfd, Direction::Read);
        for waiter in self.waiters.take() {
            // One that has given up is done.
            let _ = waiter.set_result(returncode);
        }
    }

    fn report_unknown(&self, error: io::Error) -> i32 {
        let message = format!(
            "child process pid {} exit status already read:  will report returncode {UNKNOWN}",
            self.pid()
        );
        let context = ExceptionContext::new(message).with_exception(error.into());
        self.event_loop.call_exception_handler(&context);
        UNKNOWN
    }
}

/// A wait, which gives up when it's dropped.
struct Wait(Future<i32>);

impl Drop for Wait {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Returns the exit code, or the number of the signal that has ended it, as a negative number.
fn returncode_of(status: ExitStatus) -> i32 {
    status.code().or(status.signal().map(|signal| -signal)).unwrap_or(UNKNOWN)
}

/// A child that the loop watches no longer: it can't be left to itself, or it would be a zombie one
/// day. It's killed, so the wait is short.
impl Drop for Child {
    fn drop(&mut self) {
        if self.returncode().is_none() {
            let _ = pidfd_send_signal(&self.pidfd, libc::SIGKILL);
            // It fails only if someone else has fetched the status.
            let _ = self.process.get_mut().wait();
        }
    }
}
