        let timeout = milliseconds(timeout);
        let before = events.len();
        let room = events.room();
        let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
        let epoll = self.fd.as_raw_fd();
        // SAFETY: the kernel writes at most `capacity` events, and `room` holds that many.
        let count = unsafe { libc::epoll_wait(epoll, room.as_mut_ptr(), capacity, timeout) };
        match usize::try_from(count) {
            Ok(0) => events.set_count(before),
            Ok(count) => events.set_count(count),
            Err(_) => {
                return crate::failed::failed_wait("epoll_wait", io::Error::last_os_error());
            }
        }
        Ok(())
