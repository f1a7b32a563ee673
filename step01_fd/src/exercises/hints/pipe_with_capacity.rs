    // From here on both ends have an owner, and every way out of this function closes them.
    let (reader, writer) = pipe()?;
    let fd = writer.as_raw_fd();
    // SAFETY: F_SETPIPE_SZ takes an integer and touches no memory of ours.
    let size = unsafe { libc::fcntl(fd, libc::F_SETPIPE_SZ, bytes) };
    check(size, || format!("fcntl F_SETPIPE_SZ {bytes} fd {fd}"))?;
    Ok((reader, writer))
