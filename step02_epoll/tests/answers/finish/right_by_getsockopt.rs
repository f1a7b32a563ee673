        let Connecting { stream } = self;
        let (mut failed, mut length): (libc::c_int, libc::socklen_t) = (0, 4);
        let value = (&raw mut failed).cast();
        // SAFETY: the kernel writes an int, and its length, where the two pointers say.
        let asked = unsafe {
            let (level, name) = (libc::SOL_SOCKET, libc::SO_ERROR);
            libc::getsockopt(stream.as_raw_fd(), level, name, value, &raw mut length)
        };
        check(asked, || "getsockopt SO_ERROR".to_string())?;
        if failed != 0 {
            return Err(step01_fd::CallError::wrap("connect", io::Error::from_raw_os_error(failed)));
        }
        let Err(error) = stream.peer_addr() else { return Ok(Connected::Yes(stream)) };
        if errno(&error) == Some(libc::ENOTCONN) {
            return Ok(Connected::NotYet(Connecting { stream }));
        }
        Err(error)
