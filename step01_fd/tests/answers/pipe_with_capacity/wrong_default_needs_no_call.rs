    // A new pipe has room for 64 KiB. If that's what is wanted, spare it the call.
    const DEFAULT: u32 = 64 * 1024;
    let (reader, writer) = pipe()?;
    if bytes.checked_next_power_of_two() == Some(DEFAULT) {
        return Ok((reader, writer));
    }
    let fd = writer.as_raw_fd();
    // SAFETY: F_SETPIPE_SZ takes an integer and touches no memory of ours.
    let resized = unsafe { libc::fcntl(fd, libc::F_SETPIPE_SZ, bytes) };
    check(resized, || format!("fcntl F_SETPIPE_SZ fd {fd} to {bytes}"))?;
    Ok((reader, writer))
