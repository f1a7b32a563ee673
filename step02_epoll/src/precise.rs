//! The same wait, with a finer timeout. No loop of this workbook needs it; step 04 shows what it buys.

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use crate::{Epoll, Events};
use step01_fd::CallError;

impl Epoll {
    /// Like [`wait`](Epoll::wait), with a timeout in nanoseconds: `epoll_pwait2(2)`, Linux 5.11.
    ///
    /// It is never over early either, and later by what the kernel calls timer slack (50 µs, as a
    /// rule). Fails with `Unsupported` (`ENOSYS`) on an older kernel.
    pub fn wait_precisely(&self, events: &mut Events, timeout: Option<Duration>) -> io::Result<()> {
        let room = events.room();
        let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
        let timeout = timeout.map(timespec);
        let time = timeout.as_ref().map_or(std::ptr::null(), |time| time.as_ptr());
        let epoll = self.as_fd().as_raw_fd();
        let no_mask = std::ptr::null::<libc::c_void>();
        // SAFETY: the kernel writes at most `capacity` events, and `room` holds that many. It reads
        // two 64-bit numbers from `time`, if that is not null, and is given no mask.
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
        let error = io::Error::last_os_error();
        if error.kind() == io::ErrorKind::Interrupted {
            return Ok(());
        }
        Err(CallError::wrap("epoll_pwait2", error))
    }
}

/// Seconds and nanoseconds, 64 bits each, as the kernel wants them on every machine.
fn timespec(time: Duration) -> [i64; 2] {
    let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    [seconds, i64::from(time.subsec_nanos())]
}
