    let fd = fd.as_fd().as_raw_fd();
    loop {
        // SAFETY: the kernel reads at most `bytes.len()` bytes, all of them from `bytes`.
        let count = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
        if let Ok(count) = usize::try_from(count) {
            return Ok(Written::Bytes(count));
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(Written::WouldBlock),
            _ => return Err(CallError::wrap(format!("write fd {fd}"), error)),
        }
    }
