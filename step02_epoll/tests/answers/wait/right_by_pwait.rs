        let room = events.room();
        let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
        let timeout = milliseconds(timeout);
        let epoll = self.fd.as_raw_fd();
        // SAFETY: the kernel writes at most `capacity` events, and `room` holds that many.
        let count = unsafe { libc::epoll_pwait(epoll, room.as_mut_ptr(), capacity, timeout, std::ptr::null()) };
        match check(count, || "epoll_wait".to_string()) {
            Ok(count) => events.set_count(count.unsigned_abs() as usize),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => events.set_count(0),
            Err(error) => return Err(error),
        }
        Ok(())
