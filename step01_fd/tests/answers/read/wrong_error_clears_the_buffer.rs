    let fd = fd.as_fd().as_raw_fd();
    loop {
        // SAFETY: the kernel writes at most `buffer.len()` bytes into the buffer.
        let count = unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) };
        if let Ok(count) = usize::try_from(count) {
            let is_end = count == 0 && !buffer.is_empty();
            return Ok(if is_end { Read::End } else { Read::Bytes(count) });
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(Read::WouldBlock),
            _ => {
                buffer.fill(0);
                return Err(CallError::wrap(format!("read fd {fd}"), error));
            }
        }
    }
