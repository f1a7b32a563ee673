    let fd = fd.as_fd();
    if fd.as_raw_fd() <= 0 {
        return Err(CallError::wrap("write", io::Error::from_raw_os_error(libc::EBADF)));
    }
    loop {
        // SAFETY: the kernel reads `bytes.len()` bytes, which is how many there are.
        let count = unsafe { libc::write(fd.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
        if count >= 0 {
            return Ok(Written::Bytes(count.cast_unsigned()));
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EINTR) => {}
            Some(libc::EAGAIN) => return Ok(Written::WouldBlock),
            _ => {
                let call = format!("write fd {} {} bytes", fd.as_raw_fd(), bytes.len());
                return Err(CallError::wrap(call, error));
            }
        }
    }
