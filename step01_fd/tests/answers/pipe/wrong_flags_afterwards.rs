    let mut ends = [-1; 2];
    // SAFETY: `ends` has room for the two descriptors that pipe writes.
    let made = unsafe { libc::pipe(ends.as_mut_ptr()) };
    check(made, || "pipe".to_string())?;
    // SAFETY: pipe succeeded, so the first descriptor is open and has no other owner.
    let reader = unsafe { OwnedFd::from_raw_fd(ends[0]) };
    // SAFETY: the same holds for the second descriptor.
    let writer = unsafe { OwnedFd::from_raw_fd(ends[1]) };
    for end in [&reader, &writer] {
        let fd = end.as_raw_fd();
        // SAFETY: fcntl with these commands takes integers and touches no memory of ours.
        let flags = check(unsafe { libc::fcntl(fd, libc::F_GETFL) }, || {
            format!("fcntl F_GETFL fd {fd}")
        })?;
        // SAFETY: as above.
        let done = unsafe { libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK) };
        check(done, || format!("fcntl F_SETFL fd {fd}"))?;
        // SAFETY: as above.
        let done = unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
        check(done, || format!("fcntl F_SETFD fd {fd}"))?;
    }
    Ok((reader, writer))
