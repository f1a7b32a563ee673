    // expect: set on the file  file:         non-blocking, close-on-exec
    let number = fd.as_fd().as_raw_fd();
    let flags = if nonblocking { libc::O_NONBLOCK } else { 0 };
    // SAFETY: F_SETFL takes a number and touches no memory of ours.
    let set = unsafe { libc::fcntl(number, libc::F_SETFL, flags) };
    check(set, || format!("fcntl F_SETFL fd {number}"))?;
    Ok(())
