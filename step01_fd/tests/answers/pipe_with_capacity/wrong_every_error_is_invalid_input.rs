    // From here on both ends have an owner, and every way out of this function closes them.
    let (reader, writer) = pipe()?;
    let fd = writer.as_raw_fd();
    // SAFETY: F_SETPIPE_SZ takes an integer and touches no memory of ours.
    let size = unsafe { libc::fcntl(fd, libc::F_SETPIPE_SZ, bytes) };
    if size == -1 {
        let reason = io::Error::from_raw_os_error(libc::EINVAL);
        return Err(crate::CallError::wrap("fcntl F_SETPIPE_SZ", reason));
    }
    Ok((reader, writer))
