    let fd = fd.as_fd().as_raw_fd();
    // SAFETY: F_GETFL takes no argument and touches no memory of ours.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    let flags = check(flags, || format!("fcntl F_GETFL fd {fd}"))?;
    let flags = if nonblocking { flags | libc::O_NONBLOCK } else { flags & !libc::O_NONBLOCK };
    // SAFETY: F_SETFL takes an integer and touches no memory of ours.
    let set = unsafe { libc::fcntl(fd, libc::F_SETFL, flags) };
    check(set, || format!("fcntl F_SETFL fd {fd}"))?;
    Ok(())
