    let mut ends = [-1; 2];
    // SAFETY: `ends` has room for the two numbers that pipe2 writes.
    let made = unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_NONBLOCK | libc::O_CLOEXEC) };
    check(made, || "pipe2".to_string())?;
    // SAFETY: F_SETPIPE_SZ takes a number and touches no memory of ours.
    let size = unsafe { libc::fcntl(ends[0], libc::F_SETPIPE_SZ, bytes) };
    if let Err(refused) = check(size, || format!("fcntl F_SETPIPE_SZ {bytes}")) {
        for end in ends {
            // SAFETY: pipe2 opened the number, and nobody has been given it.
            unsafe { libc::close(end) };
        }
        return Err(refused);
    }
    // SAFETY: pipe2 succeeded, so the first number is open and nobody else owns it.
    let reader = unsafe { OwnedFd::from_raw_fd(ends[0]) };
    // SAFETY: the same holds for the second number.
    let writer = unsafe { OwnedFd::from_raw_fd(ends[1]) };
    Ok((reader, writer))
