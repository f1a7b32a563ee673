//! The same wait with a finer timeout. No loop of this workbook uses it; step 04 measures what it
//! would gain.

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use crate::failed::failed_wait;
use crate::{Epoll, Events};

impl Epoll {
    /// Sleeps like [`wait`](Epoll::wait), with a timeout in nanoseconds: `epoll_pwait2(2)`, from
    /// Linux 5.11 on.
    ///
    /// The timeout doesn't end early, but the kernel may let it end late by the timer slack
    /// (usually 50 µs) or, if that's more, by 0.1% of the timeout (at most 100 ms). A busy machine
    /// can take longer. Fails with `Unsupported` (`ENOSYS`) on an older kernel.
    pub fn wait_precisely(&self, events: &mut Events, timeout: Option<Duration>) -> io::Result<()> {
        let room = events.room();
        let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
        let timeout = timeout.map(timespec);
        let time = timeout.as_ref().map_or(std::ptr::null(), |time| time.as_ptr());
        let epoll = self.as_fd().as_raw_fd();
        let no_mask = std::ptr::null::<libc::c_void>();
        // SAFETY: the kernel writes at most `capacity` events, and `room` holds that many. It reads
        // two 64-bit integers from `time`, if that isn't null, and gets no mask.
        let count = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                epoll,
                room.as_mut_ptr(),
                capacity,
                time,
                no_mask,
                0_usize,
            )
        };
        if let Ok(count) = usize::try_from(count) {
            events.set_count(count);
            return Ok(());
        }
        failed_wait("epoll_pwait2", io::Error::last_os_error())
    }
}

/// Returns seconds and nanoseconds, 64 bits each, as this call takes them on every machine.
fn timespec(time: Duration) -> [i64; 2] {
    let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    [seconds, i64::from(time.subsec_nanos())]
}
