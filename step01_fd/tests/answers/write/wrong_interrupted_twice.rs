    let fd = fd.as_fd().as_raw_fd();
    // SAFETY: the kernel reads at most `bytes.len()` bytes from `bytes`.
    let write_once = || unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
    let mut count = write_once();
    if count == -1 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted {
        count = write_once();
    }
    if let Ok(count) = usize::try_from(count) {
        return Ok(Written::Bytes(count));
    }
    let error = io::Error::last_os_error();
    match error.kind() {
        io::ErrorKind::WouldBlock => Ok(Written::WouldBlock),
        _ => Err(CallError::wrap(format!("write fd {fd}"), error)),
    }
