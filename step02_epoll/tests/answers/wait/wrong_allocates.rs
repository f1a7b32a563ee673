        let timeout = milliseconds(timeout);
        let mut found = vec![libc::epoll_event { events: 0, u64: 0 }; events.room().len()];
        let capacity = libc::c_int::try_from(found.len()).unwrap_or(libc::c_int::MAX);
        // SAFETY: the kernel writes at most `capacity` events, and `found` holds that many.
        let count = unsafe {
            libc::epoll_wait(self.fd.as_raw_fd(), found.as_mut_ptr(), capacity, timeout)
        };
        let Ok(count) = usize::try_from(count) else {
            return crate::failed::failed_wait("epoll_wait", io::Error::last_os_error());
        };
        events.refill(found.into_iter().take(count));
        Ok(())
