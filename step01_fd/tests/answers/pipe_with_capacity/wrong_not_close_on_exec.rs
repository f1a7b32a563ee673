    // From here on both ends have an owner, and every way out of this function closes them.
    let (reader, writer) = {
        let mut ends = [-1; 2];
        // SAFETY: `ends` has room for the two descriptors that pipe2 writes.
        let made = unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_NONBLOCK) };
        check(made, || "pipe2".to_string())?;
        // SAFETY: pipe2 succeeded, so the first descriptor is open and has no other owner.
        let reader = unsafe { OwnedFd::from_raw_fd(ends[0]) };
        // SAFETY: the same holds for the second descriptor.
        (reader, unsafe { OwnedFd::from_raw_fd(ends[1]) })
    };
    let fd = writer.as_raw_fd();
    // SAFETY: F_SETPIPE_SZ takes an integer and touches no memory of ours.
    let size = unsafe { libc::fcntl(fd, libc::F_SETPIPE_SZ, bytes) };
    check(size, || format!("fcntl F_SETPIPE_SZ {bytes} fd {fd}"))?;
    Ok((reader, writer))
