    let raw = fd.as_fd().as_raw_fd();
    loop {
        let mut asked = libc::pollfd { fd: raw, events: libc::POLLIN, revents: 0 };
        // SAFETY: the kernel reads and writes one entry.
        let ready = unsafe { libc::poll(&raw mut asked, 1, -1) };
        let count = if ready == -1 {
            -1
        } else {
            // SAFETY: the kernel writes at most `buffer.len()` bytes, all of them into `buffer`.
            unsafe { libc::read(raw, buffer.as_mut_ptr().cast(), buffer.len()) }
        };
        match usize::try_from(count) {
            Ok(0) if !buffer.is_empty() => return Ok(Read::End),
            Ok(count) => return Ok(Read::Bytes(count)),
            Err(_) => {}
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(Read::WouldBlock),
            _ => return Err(CallError::wrap(format!("read fd {raw}"), error)),
        }
    }
