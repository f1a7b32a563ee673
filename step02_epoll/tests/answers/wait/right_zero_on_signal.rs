        let (epoll, timeout) = (self.as_fd().as_raw_fd(), milliseconds(timeout));
        let room = events.room();
        let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
        // SAFETY: the kernel writes at most `capacity` events into the room, which has space for them.
        let count = match unsafe { libc::epoll_wait(epoll, room.as_mut_ptr(), capacity, timeout) } {
            -1 => {
                let reason = io::Error::last_os_error();
                if reason.raw_os_error() != Some(libc::EINTR) {
                    return Err(CallError::wrap("epoll_wait", reason));
                }
                0
            }
            count => usize::try_from(count).unwrap_or_default(),
        };
        events.set_count(count);
        Ok(())
