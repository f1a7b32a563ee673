    use std::os::fd::FromRawFd;

    let fd = fd.as_fd().as_raw_fd();
    // SAFETY: the descriptor is open while it's borrowed, and ManuallyDrop never closes it.
    let file = std::mem::ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(fd) });
    let result = loop {
        match io::Read::read(&mut &*file, buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => break result,
        }
    };
    match result {
        Ok(0) if !buffer.is_empty() => Ok(Read::End),
        Ok(count) => Ok(Read::Bytes(count)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Read::WouldBlock),
        Err(error) => Err(CallError::wrap(format!("read fd {fd}"), error)),
    }
