    let fd = fd.as_fd().as_raw_fd();
    // SAFETY: the kernel writes at most `buffer.len()` bytes into `buffer`.
    let count = unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) };
    if let Ok(count) = usize::try_from(count) {
        return Ok(if count == 0 && !buffer.is_empty() { Read::End } else { Read::Bytes(count) });
    }
    let error = io::Error::last_os_error();
    match error.kind() {
        // Nothing has been read either way; the next wait reports what's left.
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(Read::WouldBlock),
        _ => Err(CallError::wrap(format!("read fd {fd}"), error)),
    }
