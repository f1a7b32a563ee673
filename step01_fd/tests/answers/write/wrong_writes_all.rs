    // expect: would block
    let fd = fd.as_fd().as_raw_fd();
    let mut done = 0;
    while done < bytes.len() {
        let rest = &bytes[done..];
        // SAFETY: the kernel reads at most `rest.len()` bytes, all of them from `rest`.
        let count = unsafe { libc::write(fd, rest.as_ptr().cast(), rest.len()) };
        if let Ok(count) = usize::try_from(count) {
            done += count;
            continue;
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(Written::WouldBlock),
            _ => return Err(CallError::wrap(format!("write fd {fd}"), error)),
        }
    }
    Ok(Written::Bytes(done))
