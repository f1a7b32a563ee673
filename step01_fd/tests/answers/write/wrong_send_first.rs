    let raw = fd.as_fd().as_raw_fd();
    let mut is_socket = true;
    loop {
        // SAFETY: the kernel only reads `bytes`.
        let count = unsafe {
            if is_socket {
                // Spares a socket the SIGPIPE.
                libc::send(raw, bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL)
            } else {
                libc::write(raw, bytes.as_ptr().cast(), bytes.len())
            }
        };
        if let Ok(count) = usize::try_from(count) {
            return Ok(Written::Bytes(count));
        }
        let reason = io::Error::last_os_error();
        match reason.raw_os_error() {
            Some(libc::ENOTSOCK) if is_socket => is_socket = false,
            Some(libc::EINTR) => {}
            Some(libc::EAGAIN) => return Ok(Written::WouldBlock),
            _ => return Err(CallError::wrap(format!("write fd {raw}"), reason)),
        }
    }
