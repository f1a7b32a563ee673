        let room = events.room();
        let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
        // Seconds and nanoseconds, 64 bits each, as this call takes them on every machine.
        let time = timeout.map(|time| {
            let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
            [seconds, i64::from(time.subsec_nanos())]
        });
        let time = time.as_ref().map_or(std::ptr::null(), |time| time.as_ptr());
        let epoll = self.fd.as_raw_fd();
        let mask = std::ptr::null::<libc::c_void>();
        // SAFETY: the kernel writes at most `capacity` events, and `room` holds that many; `time` is
        // null or points to two integers, and there is no mask.
        let count = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                epoll,
                room.as_mut_ptr(),
                capacity,
                time,
                mask,
                0_usize,
            )
        };
        if let Ok(count) = usize::try_from(count) {
            events.set_count(count);
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() == io::ErrorKind::Interrupted {
            let _ = milliseconds;
            return Ok(());
        }
        Err(CallError::wrap("epoll_wait", error))
