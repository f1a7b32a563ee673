    let mut ends = [-1; 2];
    // SAFETY: `ends` has room for the two descriptors that pipe2 writes.
    let made = unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_NONBLOCK | libc::O_CLOEXEC) };
    check(made, || "pipe2".to_string())?;
    // SAFETY: F_SETPIPE_SZ takes an integer and touches no memory of ours.
    let done = unsafe { libc::fcntl(ends[1], libc::F_SETPIPE_SZ, bytes) };
    check(done, || format!("fcntl F_SETPIPE_SZ fd {} {bytes}", ends[1]))?;
    // SAFETY: pipe2 succeeded, so the first descriptor is open and has no other owner.
    let reader = unsafe { OwnedFd::from_raw_fd(ends[0]) };
    // SAFETY: the same holds for the second descriptor.
    let writer = unsafe { OwnedFd::from_raw_fd(ends[1]) };
    Ok((reader, writer))
