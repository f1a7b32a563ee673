    let fd = fd.as_fd().as_raw_fd();
    loop {
        // SAFETY: all zeros is a valid set, and these fill it in.
        let mut set: libc::sigset_t = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        unsafe { libc::sigemptyset(&raw mut set) };
        // SAFETY: as above.
        unsafe { libc::sigaddset(&raw mut set, libc::SIGPIPE) };
        // SAFETY: `set` is a set.
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) };
        // SAFETY: the kernel reads at most `bytes.len()` bytes, all of them from `bytes`.
        let count = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
        let error = io::Error::last_os_error();
        // SAFETY: as above.
        unsafe { libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, std::ptr::null_mut()) };
        if let Ok(count) = usize::try_from(count) {
            return Ok(Written::Bytes(count));
        }
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(Written::WouldBlock),
            _ => return Err(CallError::wrap(format!("write fd {fd}"), error)),
        }
    }
