    let (reader, writer) = pipe()?;
    let fd = writer.as_raw_fd();
    loop {
        // SAFETY: F_SETPIPE_SZ takes an integer and touches no memory of ours.
        let size = unsafe { libc::fcntl(fd, libc::F_SETPIPE_SZ, bytes) };
        if size == -1 && io::Error::last_os_error().raw_os_error() == Some(libc::EBUSY) {
            continue;
        }
        check(size, || format!("fcntl F_SETPIPE_SZ {bytes} fd {fd}"))?;
        return Ok((reader, writer));
    }
