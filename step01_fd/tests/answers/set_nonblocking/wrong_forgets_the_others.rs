    // expect: set on the file  file:         non-blocking, close-on-exec
    let fd = fd.as_fd().as_raw_fd();
    let flags = if nonblocking { libc::O_NONBLOCK } else { 0 };
    // SAFETY: F_SETFL takes an integer and touches no memory of ours.
    let set = unsafe { libc::fcntl(fd, libc::F_SETFL, flags) };
    check(set, || format!("fcntl F_SETFL fd {fd}"))?;
    Ok(())
