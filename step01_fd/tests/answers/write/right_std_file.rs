    let fd = fd.as_fd().as_raw_fd();
    // SAFETY: the descriptor stays open while it's borrowed, and the File is never dropped.
    let file = unsafe { <std::fs::File as std::os::fd::FromRawFd>::from_raw_fd(fd) };
    let file = std::mem::ManuallyDrop::new(file);
    loop {
        match io::Write::write(&mut &*file, bytes).map_err(|error| (error.kind(), error)) {
            Ok(count) => return Ok(Written::Bytes(count)),
            Err((io::ErrorKind::Interrupted, _)) => {}
            Err((io::ErrorKind::WouldBlock, _)) => return Ok(Written::WouldBlock),
            Err((_, error)) => return Err(CallError::wrap(format!("write fd {fd}"), error)),
        }
    }
