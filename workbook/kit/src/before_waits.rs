//! Stops code just before each of its waits.
//!
//! An idle loop checks once more for work and then waits. A careless loop loses work that arrives
//! between the check and the wait. Here, the kernel stops a thread just as it enters its wait, and
//! the scene can act before the wait begins. See `seccomp(2)`, `SECCOMP_RET_USER_NOTIF`.

use std::io::ErrorKind;
use std::os::fd::{AsRawFd, OwnedFd};
use std::panic::resume_unwind;
use std::thread;

use crate::stops::{self, Stop, stop_at_waits};

/// Runs `f` in a new thread and returns the result of `f`. Calls `before` whenever that thread, or
/// a thread that it started, is about to make a call other than a write that can wait, even after
/// `f` has ended. The argument of `before` is true if the call may wait and false if it only polls.
/// The call continues once `before` has returned.
///
/// Fails if the kernel can't report a thread's calls or doesn't let this process receive such
/// reports.
///
/// # Panics
/// Panics if `f` panics.
pub fn before_each_wait<T: Send + 'static>(
    f: impl FnOnce() -> T + Send + 'static,
    mut before: impl FnMut(bool) + Send + 'static,
) -> anyhow::Result<T> {
    let (thread, listener) = stops::start(stop_at_waits, f)?;
    // Threads that `f` started can outlive `f`, so a separate thread answers their calls.
    thread::spawn(move || {
        while let Some(stop) = next(&listener) {
            if !stop.is_another_command() {
                before(!stop.only_looks());
            }
            let _ = stop.continue_(&listener);
        }
    });
    thread.join().map_err(|panic| resume_unwind(panic))
}

/// Returns the next stop, or `None` if all threads that could stop have ended.
fn next(listener: &OwnedFd) -> Option<Stop> {
    // Before Linux 6.11, a request for a stop never returns once these threads have ended.
    while is_stopped_before_the_end(listener) {
        match Stop::of_the_next_call(listener) {
            Ok(stop) => return Some(stop),
            // A signal has interrupted this thread or the stopped thread.
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::NotFound) => {}
            Err(_) => return None,
        }
    }
    None
}

/// Waits until a thread is stopped or all threads that could stop have ended. Returns true if a
/// thread is stopped.
fn is_stopped_before_the_end(listener: &OwnedFd) -> bool {
    let mut entry = libc::pollfd { fd: listener.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // A signal can end the wait without either event.
    while entry.revents & (libc::POLLIN | libc::POLLHUP) == 0 {
        // SAFETY: the pointer is to one pollfd, which the kernel fills in.
        unsafe { libc::poll(&raw mut entry, 1, -1) };
    }
    entry.revents & libc::POLLIN != 0
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixDatagram;
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    use std::sync::{Arc, mpsc};
    use std::time::Duration;

    use super::*;
    use crate::{Observer, Refusal};

    #[test]
    fn a_wake_just_before_the_wait_is_in_time_or_lost() {
        let woken = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&woken);
        let slept = before_each_wait(
            move || {
                // This code checks too early and then sleeps although it has already been woken.
                let is_woken = seen.load(SeqCst);
                if !is_woken {
                    thread::sleep(Duration::from_millis(1));
                }
                !is_woken && seen.load(SeqCst)
            },
            move |waits| _ = woken.fetch_or(waits, SeqCst),
        );
        assert!(slept.unwrap());
    }

    /// Returns the number of times that `f` is about to wait, and the number of times that it only
    /// polls.
    fn waits_and_looks(f: impl FnOnce() + Send + 'static) -> (usize, usize) {
        let (told, heard) = mpsc::channel();
        before_each_wait(f, move |waits| told.send(waits).unwrap()).unwrap();
        // The answering thread ends once the stopped thread has ended.
        let (waits, looks): (Vec<bool>, Vec<bool>) = heard.iter().partition(|waits| *waits);
        (waits.len(), looks.len())
    }

    #[test]
    fn no_stop_is_asked_for_once_the_threads_have_ended() {
        let (thread, listener) = stops::start(stop_at_waits, || ()).unwrap();
        while let Some(stop) = next(&listener) {
            let _ = stop.continue_(&listener);
        }
        thread.join().unwrap();
        let refusal = Refusal { call: libc::SYS_ioctl, argument: None, errno: libc::EIO };
        let observer = Observer::new().unwrap();
        let (next, _) = observer.refusing(&[refusal], 0, || next(&listener).is_some());
        assert!(!next && !observer.has_refused());
    }

    #[test]
    fn a_receive_on_a_socket_is_a_wait_if_the_socket_blocks() {
        let (ours, theirs) = UnixDatagram::pair().unwrap();
        let receives = move |is_nonblocking| {
            let (ours, theirs) = (ours.try_clone().unwrap(), theirs.try_clone().unwrap());
            ours.set_nonblocking(is_nonblocking).unwrap();
            theirs.send(b"!").unwrap();
            waits_and_looks(move || {
                ours.recv(&mut [0]).unwrap();
            })
        };
        assert_eq!((receives(false).0, receives(true).0), (1, 0));
        assert!(receives(true).1 >= 1);
    }

    #[test]
    fn a_signal_can_be_waited_for_or_looked_for() {
        let waits_for = |timeout: Duration| {
            waits_and_looks(move || {
                // SAFETY: all zeros is a valid set of signals: the empty one.
                let none: libc::sigset_t = unsafe { std::mem::zeroed() };
                let timeout = libc::timespec { tv_sec: 0, tv_nsec: timeout.subsec_nanos().into() };
                // SAFETY: both pointers are to values that outlive the call.
                unsafe {
                    libc::sigtimedwait(&raw const none, std::ptr::null_mut(), &raw const timeout)
                };
            })
        };
        assert_eq!(waits_for(Duration::from_millis(1)).0, 1);
        assert_eq!(waits_for(Duration::ZERO).0, 0);
    }

    #[test]
    fn a_wait_of_io_uring_is_one_if_it_wants_a_completion() {
        let enters = |completions: u32| {
            waits_and_looks(move || {
                const NO_RING: i32 = -1;
                // SAFETY: there's no such descriptor, so the call touches no memory.
                unsafe {
                    libc::syscall(libc::SYS_io_uring_enter, NO_RING, 0, completions, 0, 0, 0)
                };
            })
        };
        assert_eq!((enters(1), enters(0).0), ((1, 0), 0));
    }
}
