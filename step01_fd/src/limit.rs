//! The limit on the descriptors that a process can have open.

use std::io;
use std::mem::MaybeUninit;

use crate::check;

/// Raises the soft limit on open descriptors to the hard limit and returns the new soft limit.
///
/// A process has a soft limit, which is in force (by default 1,024 on most systems), and a hard
/// limit, up to which the process may raise the soft limit without privileges. A new descriptor has
/// to be below the soft limit, so a server with many clients raises that limit first of all. See
/// `getrlimit(2)`, `RLIMIT_NOFILE`.
///
/// # Errors
///
/// Fails with `PermissionDenied` (`EPERM`) if the hard limit is above the system's own limit
/// (`fs.nr_open`).
pub fn raise_descriptor_limit() -> io::Result<u64> {
    let mut limit = MaybeUninit::uninit();
    // SAFETY: `limit` has room for one rlimit.
    let done = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, limit.as_mut_ptr()) };
    check(done, || "getrlimit RLIMIT_NOFILE".to_owned())?;
    // SAFETY: getrlimit succeeded, so it has filled `limit`.
    let mut limit: libc::rlimit = unsafe { limit.assume_init() };
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: the kernel only reads `limit`.
    let done = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) };
    check(done, || format!("setrlimit RLIMIT_NOFILE {}", limit.rlim_cur))?;
    Ok(limit.rlim_cur)
}
