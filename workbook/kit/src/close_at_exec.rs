//! Closes a process's descriptors above 2, even inherited ones, when it executes a program.

use std::io;

/// Makes the kernel close all descriptors above 2 that are open now as soon as this process, or a
/// process that it forks, executes a program.
///
/// Fails with `ENOSYS` before Linux 5.9 and with `EINVAL` on Linux 5.9 and 5.10.
pub fn close_at_exec() -> io::Result<()> {
    let (first, last) = (3 as libc::c_uint, libc::c_uint::MAX);
    // SAFETY: the call takes no pointer and closes nothing yet, so no owner loses a descriptor.
    let set =
        unsafe { libc::syscall(libc::SYS_close_range, first, last, libc::CLOSE_RANGE_CLOEXEC) };
    if set == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
