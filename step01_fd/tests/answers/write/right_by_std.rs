    // SAFETY: the descriptor stays open for as long as it's borrowed, and isn't closed here.
    let file = unsafe { <std::fs::File as std::os::fd::FromRawFd>::from_raw_fd(fd.as_fd().as_raw_fd()) };
    let mut file = std::mem::ManuallyDrop::new(file);
    loop {
        return match io::Write::write(&mut *file, bytes) {
            Ok(count) => Ok(Written::Bytes(count)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Written::WouldBlock),
            Err(error) => Err(CallError::wrap("write", error)),
        };
    }
