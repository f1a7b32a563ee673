        let timeout = milliseconds(timeout);
        let room = events.room();
        let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
        // SAFETY: the kernel writes at most `capacity` events, and `room` holds that many.
        let found =
            unsafe { libc::epoll_wait(self.fd.as_raw_fd(), room.as_mut_ptr(), capacity, timeout) };
        let Ok(found) = usize::try_from(found) else {
            return crate::failed::failed_wait("epoll_wait", io::Error::last_os_error());
        };
        events.set_count(found);
        Ok(())
