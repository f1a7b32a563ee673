        let ends = timeout.and_then(|timeout| std::time::Instant::now().checked_add(timeout));
        loop {
            let now = std::time::Instant::now();
            let left = ends.map(|ends| ends.saturating_duration_since(now));
            let slice = Duration::from_millis(10);
            let millis = milliseconds(Some(left.unwrap_or(slice).min(slice)));
            let room = events.room();
            let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
            // SAFETY: the kernel writes at most `capacity` events, and `room` holds that many.
            let count = unsafe {
                libc::epoll_wait(self.fd.as_raw_fd(), room.as_mut_ptr(), capacity, millis)
            };
            let Ok(count) = usize::try_from(count) else {
                return crate::failed::failed_wait("epoll_wait", io::Error::last_os_error());
            };
            events.set_count(count);
            if count > 0 || left == Some(Duration::ZERO) {
                return Ok(());
            }
        }
