    let fd = fd.as_fd().as_raw_fd();
    let write_once = || {
        // SAFETY: `bytes` is valid for reading `bytes.len()` bytes.
        let count = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    };
    let mut outcome = write_once();
    while outcome.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {
        outcome = write_once();
    }
    outcome.map(Written::Bytes).or_else(|error| match error.kind() {
        io::ErrorKind::WouldBlock => Ok(Written::WouldBlock),
        _ => Err(CallError::wrap(format!("write fd {fd}"), error)),
    })
