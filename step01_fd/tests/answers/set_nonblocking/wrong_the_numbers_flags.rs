    // expect: set on the file  file:         close-on-exec, append
    let number = fd.as_fd().as_raw_fd();
    // SAFETY: F_GETFD takes no argument and touches no memory of ours.
    let flags = unsafe { libc::fcntl(number, libc::F_GETFD) };
    let flags = check(flags, || format!("fcntl F_GETFD fd {number}"))?;
    let flags = if nonblocking { flags | libc::O_NONBLOCK } else { flags & !libc::O_NONBLOCK };
    // SAFETY: F_SETFD takes a number and touches no memory of ours.
    let set = unsafe { libc::fcntl(number, libc::F_SETFD, flags) };
    check(set, || format!("fcntl F_SETFD fd {number}"))?;
    Ok(())
