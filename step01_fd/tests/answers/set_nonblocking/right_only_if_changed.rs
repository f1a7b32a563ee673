    let fd = fd.as_fd().as_raw_fd();
    let before = check(
        // SAFETY: F_GETFL takes no argument and touches no memory of ours.
        unsafe { libc::fcntl(fd, libc::F_GETFL) },
        || format!("fcntl F_GETFL fd {fd}"),
    )?;
    if (before & libc::O_NONBLOCK != 0) == nonblocking {
        return Ok(());
    }
    let after = before ^ libc::O_NONBLOCK;
    // SAFETY: F_SETFL takes an integer and touches no memory of ours.
    match unsafe { libc::fcntl(fd, libc::F_SETFL, after) } {
        -1 => {
            let reason = io::Error::last_os_error();
            Err(crate::CallError::wrap(format!("fcntl F_SETFL fd {fd} {after:#o}"), reason))
        }
        _ => Ok(()),
    }
