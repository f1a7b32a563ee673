    let (reader, writer) = pipe()?;
    let size = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
    let fd = writer.as_raw_fd();
    // SAFETY: F_SETPIPE_SZ takes an integer and touches no memory of ours.
    let done = unsafe { libc::fcntl(fd, libc::F_SETPIPE_SZ, size) };
    check(done, || format!("fcntl F_SETPIPE_SZ fd {fd} {bytes}"))?;
    Ok((reader, writer))
