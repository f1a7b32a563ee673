    let fd = fd.as_fd().as_raw_fd();
    loop {
        // SAFETY: the kernel writes at most `buffer.len()` bytes, all of them into `buffer`.
        let count = unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) };
        match usize::try_from(count) {
            Ok(0) if !buffer.is_empty() => return Ok(Read::End),
            Ok(count) => return Ok(Read::Bytes(count)),
            Err(_) => {}
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(Read::WouldBlock),
            _ => return Err(CallError::wrap(format!("read fd {fd}"), error)),
        }
    }
