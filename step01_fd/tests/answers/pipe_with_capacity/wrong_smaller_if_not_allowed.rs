    // From here on both ends have an owner, and every way out of this function closes them.
    let (reader, writer) = pipe()?;
    let fd = writer.as_raw_fd();
    // SAFETY: F_SETPIPE_SZ takes an integer and touches no memory of ours.
    let size = unsafe { libc::fcntl(fd, libc::F_SETPIPE_SZ, bytes) };
    if size == -1 && io::Error::last_os_error().raw_os_error() == Some(libc::EPERM) {
        // SAFETY: as above.
        let size = unsafe { libc::fcntl(fd, libc::F_SETPIPE_SZ, bytes / 2) };
        check(size, || "fcntl F_SETPIPE_SZ".to_string())?;
        return Ok((reader, writer));
    }
    check(size, || format!("fcntl F_SETPIPE_SZ {bytes} fd {fd}"))?;
    Ok((reader, writer))
