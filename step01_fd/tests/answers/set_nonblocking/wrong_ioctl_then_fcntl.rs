    let fd = fd.as_fd().as_raw_fd();
    let mut on = libc::c_int::from(nonblocking);
    // SAFETY: FIONBIO reads one int, and `on` is that.
    if unsafe { libc::ioctl(fd, libc::FIONBIO, &raw mut on) } == 0 {
        return Ok(());
    }
    // SAFETY: F_GETFL takes no argument and touches no memory of ours.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    let flags = check(flags, || format!("fcntl F_GETFL fd {fd}"))?;
    let flags = if nonblocking { flags | libc::O_NONBLOCK } else { flags & !libc::O_NONBLOCK };
    // SAFETY: F_SETFL takes an integer and touches no memory of ours.
    let set = unsafe { libc::fcntl(fd, libc::F_SETFL, flags) };
    check(set, || format!("fcntl F_SETFL fd {fd}"))?;
    Ok(())
