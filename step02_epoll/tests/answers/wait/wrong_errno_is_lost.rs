        let room = events.room();
        let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
        let timeout = milliseconds(timeout);
        let epoll = self.fd.as_raw_fd();
        // SAFETY: the kernel writes at most `capacity` events, and `room` holds that many.
        let count = unsafe { libc::epoll_wait(epoll, room.as_mut_ptr(), capacity, timeout) };
        match usize::try_from(count) {
            Ok(count) => events.set_count(count),
            Err(_) if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {
                return self.wait(events, Some(Duration::ZERO));
            }
            Err(_) => return Err(CallError::wrap("epoll_wait", io::ErrorKind::Other.into())),
        }
        Ok(())
