    let raw = fd.as_fd().as_raw_fd();
    // SAFETY: the kernel writes at most `buffer.len()` bytes, all of them into `buffer`.
    let count = unsafe { libc::read(raw, buffer.as_mut_ptr().cast(), buffer.len()) };
    if count > 0 || (count == 0 && buffer.is_empty()) {
        return Ok(Read::Bytes(count.unsigned_abs()));
    }
    if count == 0 {
        return Ok(Read::End);
    }
    match io::Error::last_os_error().raw_os_error() {
        Some(libc::EINTR) => read(fd, buffer),
        Some(libc::EAGAIN) => Ok(Read::WouldBlock),
        _ => Err(CallError::wrap(format!("read {raw}"), io::Error::last_os_error())),
    }
