    let (reader, writer) = pipe()?;
    let fd = writer.as_raw_fd();
    // SAFETY: F_GETPIPE_SZ takes no argument and touches no memory of ours.
    let capacity = check(unsafe { libc::fcntl(fd, libc::F_GETPIPE_SZ) }, || {
        format!("fcntl F_GETPIPE_SZ fd {fd}")
    })?;
    if i64::from(capacity) < i64::from(bytes) {
        // SAFETY: F_SETPIPE_SZ takes an integer and touches no memory of ours.
        let done = unsafe { libc::fcntl(fd, libc::F_SETPIPE_SZ, bytes) };
        check(done, || format!("fcntl F_SETPIPE_SZ fd {fd} {bytes}"))?;
    }
    Ok((reader, writer))
