    let mut ends = [-1; 2];
    let flags = libc::O_NONBLOCK | libc::O_CLOEXEC;
    // SAFETY: `ends` has room for the two descriptors that pipe2 writes.
    let made = unsafe { libc::pipe2(ends.as_mut_ptr(), flags) };
    check(made, || "pipe2".to_string())?;
    // SAFETY: pipe2 succeeded, so the first descriptor is open and has no other owner.
    let reader = unsafe { OwnedFd::from_raw_fd(ends[0]) };
    // SAFETY: the same holds for the second descriptor.
    let writer = unsafe { OwnedFd::from_raw_fd(ends[1]) };
    Ok((reader, writer))
