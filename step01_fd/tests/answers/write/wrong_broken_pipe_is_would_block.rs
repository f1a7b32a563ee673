    // expect: write 5 bytes: WouldBlock
    let fd = fd.as_fd().as_raw_fd();
    // SAFETY: the kernel reads at most `bytes.len()` bytes, all of them from `bytes`.
    let count = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
    match usize::try_from(count) {
        Ok(count) => Ok(Written::Bytes(count)),
        Err(_) => Ok(Written::WouldBlock),
    }
