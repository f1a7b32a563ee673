    let fd = fd.as_fd().as_raw_fd();
    if bytes.is_empty() {
        return Ok(Written::Bytes(0));
    }
    loop {
        // SAFETY: the kernel reads at most `bytes.len()` bytes, which is how many there are.
        let count = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
        if let Ok(count) = usize::try_from(count) {
            return Ok(Written::Bytes(count));
        }
        let reason = io::Error::last_os_error();
        match reason.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(Written::WouldBlock),
            _ => return Err(CallError::wrap(format!("write fd {fd}"), reason)),
        }
    }
