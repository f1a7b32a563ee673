        let room = events.room();
        let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
        let timeout = milliseconds(timeout);
        let epoll = self.fd.as_raw_fd();
        // SAFETY: the kernel writes at most `capacity` events, and `room` holds that many.
        let count = unsafe { libc::epoll_wait(epoll, room.as_mut_ptr(), capacity, timeout) };
        if let Ok(count) = usize::try_from(count) {
            events.set_count(count);
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() == io::ErrorKind::Interrupted {
            return Ok(());
        }
        Err(CallError::wrap("epoll_wait", error))
