    let (reader, writer) = match pipe() {
        Err(error) if crate::errno(&error) == Some(libc::ENFILE) => pipe()?,
        made => made?,
    };
    let fd = writer.as_raw_fd();
    // SAFETY: F_SETPIPE_SZ takes an integer and touches no memory of ours.
    let size = unsafe { libc::fcntl(fd, libc::F_SETPIPE_SZ, bytes) };
    check(size, || format!("fcntl F_SETPIPE_SZ {bytes} fd {fd}"))?;
    Ok((reader, writer))
