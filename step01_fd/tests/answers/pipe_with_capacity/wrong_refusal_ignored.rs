    // expect: capacity 4 GiB:  made
    let (reader, writer) = pipe()?;
    // SAFETY: F_SETPIPE_SZ takes an integer and touches no memory of ours.
    let _ = unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_SETPIPE_SZ, bytes) };
    Ok((reader, writer))
