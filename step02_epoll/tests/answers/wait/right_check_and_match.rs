        let epoll = self.fd.as_raw_fd();
        let room = events.room();
        let (first, length) = (room.as_mut_ptr(), room.len().try_into().unwrap_or(i32::MAX));
        // SAFETY: `first` points to room for at least `length` events.
        let returned = unsafe { libc::epoll_wait(epoll, first, length, milliseconds(timeout)) };
        match check(returned, || format!("epoll_wait fd {epoll}")) {
            Ok(count) => events.set_count(count.unsigned_abs() as usize),
            // The room is empty already: `room` has seen to that.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
