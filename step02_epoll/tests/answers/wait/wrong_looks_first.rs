        let room = events.room();
        let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
        let mut wait_for = |timeout| {
            // SAFETY: the kernel writes at most `capacity` events, and `room` holds that many.
            unsafe { libc::epoll_wait(self.fd.as_raw_fd(), room.as_mut_ptr(), capacity, timeout) }
        };
        let mut count = wait_for(0);
        if count == 0 {
            count = wait_for(milliseconds(timeout));
        }
        if let Ok(count) = usize::try_from(count) {
            events.set_count(count);
            return Ok(());
        }
        crate::failed::failed_wait("epoll_wait", io::Error::last_os_error())
