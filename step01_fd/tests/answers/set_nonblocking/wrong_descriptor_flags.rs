    // expect: set on the file  file:         close-on-exec, append
    let fd = fd.as_fd().as_raw_fd();
    // SAFETY: F_GETFD takes no argument and touches no memory of ours.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFD) };
    let flags = check(flags, || format!("fcntl F_GETFD fd {fd}"))?;
    let flags = if nonblocking { flags | libc::O_NONBLOCK } else { flags & !libc::O_NONBLOCK };
    // SAFETY: F_SETFD takes an integer and touches no memory of ours.
    let set = unsafe { libc::fcntl(fd, libc::F_SETFD, flags) };
    check(set, || format!("fcntl F_SETFD fd {fd}"))?;
    Ok(())
