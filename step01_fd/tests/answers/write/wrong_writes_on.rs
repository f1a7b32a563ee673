    let fd = fd.as_fd().as_raw_fd();
    let mut written = 0;
    loop {
        let rest = &bytes[written..];
        // SAFETY: the kernel reads at most `rest.len()` bytes from `rest`.
        let count = unsafe { libc::write(fd, rest.as_ptr().cast(), rest.len()) };
        if let Ok(count) = usize::try_from(count) {
            written += count;
            if written == bytes.len() {
                return Ok(Written::Bytes(written));
            }
            continue;
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock if written > 0 => return Ok(Written::Bytes(written)),
            io::ErrorKind::WouldBlock => return Ok(Written::WouldBlock),
            _ => return Err(CallError::wrap(format!("write fd {fd}"), error)),
        }
    }
