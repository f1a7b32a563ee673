    if buffer.is_empty() {
        return Ok(Read::Bytes(0));
    }
    // SAFETY: the descriptor stays open for as long as it's borrowed, and isn't closed here.
    let file = unsafe { <std::fs::File as std::os::fd::FromRawFd>::from_raw_fd(fd.as_fd().as_raw_fd()) };
    let mut file = std::mem::ManuallyDrop::new(file);
    loop {
        return match io::Read::read(&mut *file, buffer) {
            Ok(0) => Ok(Read::End),
            Ok(count) => Ok(Read::Bytes(count)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Read::WouldBlock),
            Err(error) => Err(CallError::wrap("read", error)),
        };
    }
