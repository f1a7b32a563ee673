//! Descriptors that a program has inherited, and that the programs which it starts aren't to have.

use std::io;

/// Makes the kernel close all descriptors beyond 2 when this process, or one that it forks,
/// executes a program.
///
/// Fails with `ENOSYS` before Linux 5.9, and with `EINVAL` before 5.11.
pub fn close_at_exec() -> io::Result<()> {
    let (first, last) = (3 as libc::c_uint, libc::c_uint::MAX);
    // SAFETY: it takes no pointer and closes nothing yet, so no owner of a descriptor loses it.
    let set =
        unsafe { libc::syscall(libc::SYS_close_range, first, last, libc::CLOSE_RANGE_CLOEXEC) };
    if set == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
