    let (reader, writer) = pipe()?;
    let fd = writer.as_raw_fd();
    // SAFETY: F_SETPIPE_SZ takes an integer and touches no memory of ours.
    let set = unsafe { libc::fcntl(fd, libc::F_SETPIPE_SZ, bytes) };
    check(set, || format!("fcntl F_SETPIPE_SZ fd {fd} {bytes}"))?;
    Ok((reader, writer))
