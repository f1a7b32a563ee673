//! Descriptors that name a process.
//!
//! A process is usually named by a number, its pid. The kernel can reuse that number once the
//! process has ended and its parent has fetched the exit status, so a signal that's sent to a pid
//! can hit another process. A pidfd names one process for as long as the pidfd is open. A loop can
//! also wait for a pidfd, which becomes readable when the process ends.

use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use crate::check;

/// Opens a descriptor for the process `pid`. The descriptor is close-on-exec. It becomes readable
/// when the process ends, even before its parent fetches the status, but there's no data to read.
/// See `pidfd_open(2)`.
///
/// Besides the process itself, only its parent can be sure whose number `pid` is: as long as the
/// parent doesn't fetch the status of its child, the number isn't reused. A parent that ignores
/// SIGCHLD can't be sure either, because the kernel frees the number as soon as the child ends.
///
/// # Errors
///
/// Fails with `ESRCH` if there's no such process, with `EINVAL` if `pid` isn't a positive C `int`,
/// with `ENOENT` (`EINVAL` on older kernels) if it's the number of a thread other than the first,
/// and with `EMFILE` or `ENFILE` if no descriptor is left.
///
/// # Examples
///
/// ```
/// use std::process::Command;
/// let mut child = Command::new("cat").stdin(std::process::Stdio::piped()).spawn()?;
/// let pidfd = step01_fd::pidfd_open(child.id())?;
/// step01_fd::pidfd_send_signal(&pidfd, libc::SIGKILL)?;
/// assert!(!child.wait()?.success());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn pidfd_open(pid: u32) -> io::Result<OwnedFd> {
    // SAFETY: pidfd_open takes two integers and touches no memory of ours.
    let fd = narrowed(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) });
    let fd = check(fd, || format!("pidfd_open pid {pid}"))?;
    // SAFETY: pidfd_open succeeded, so the descriptor is open and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Sends a signal to the process that `pidfd` names. See `pidfd_send_signal(2)`.
///
/// The signal never hits another process. Signal 0 only checks whether the process exists.
///
/// # Errors
///
/// Fails with `ESRCH` if the process has ended and its status was fetched; until then, a signal to
/// a process that has ended has no effect and causes no error. Fails with `EPERM` if this process
/// isn't allowed to send the signal, and with `EINVAL` if there's no such signal.
pub fn pidfd_send_signal(pidfd: impl AsFd, signal: i32) -> io::Result<()> {
    let fd = pidfd.as_fd().as_raw_fd();
    let nothing = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: a null pointer asks the kernel to fill in the details, so it reads no memory of ours.
    let sent = unsafe { libc::syscall(libc::SYS_pidfd_send_signal, fd, signal, nothing, 0) };
    check(narrowed(sent), || format!("pidfd_send_signal fd {fd} signal {signal}"))?;
    Ok(())
}

/// Narrows the result of a system call, which is −1 or a small number, to C's `int`.
fn narrowed(returned: libc::c_long) -> libc::c_int {
    libc::c_int::try_from(returned).unwrap_or(-1)
}
