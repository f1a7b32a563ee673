        let room = events.room();
        let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
        let timeout = milliseconds(timeout);
        let epoll = self.fd.as_raw_fd();
        // SAFETY: the kernel writes at most `capacity` events, and `room` holds that many.
        let mut count = unsafe { libc::epoll_wait(epoll, room.as_mut_ptr(), capacity, timeout) };
        if count == -1 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted {
            // SAFETY: as above.
            count = unsafe { libc::epoll_wait(epoll, room.as_mut_ptr(), capacity, 0) };
        }
        if let Ok(count) = usize::try_from(count) {
            events.set_count(count);
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() == io::ErrorKind::Interrupted {
            return Ok(());
        }
        Err(CallError::wrap("epoll_wait", error))
