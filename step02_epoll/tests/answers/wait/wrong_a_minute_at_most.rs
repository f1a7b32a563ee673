        let room = events.room();
        let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
        let epoll = self.fd.as_raw_fd();
        let minute = Duration::from_mins(1);
        let millis = milliseconds(Some(timeout.map_or(minute, |timeout| timeout.min(minute))));
        // SAFETY: the kernel writes at most `capacity` events, and `room` holds that many.
        let count = unsafe { libc::epoll_wait(epoll, room.as_mut_ptr(), capacity, millis) };
        let Ok(count) = usize::try_from(count) else {
            return crate::failed::failed_wait("epoll_wait", io::Error::last_os_error());
        };
        events.set_count(count);
        Ok(())
