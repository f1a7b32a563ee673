    let mut ends = [-1; 2];
    let flags = libc::O_NONBLOCK | libc::O_CLOEXEC;
    for attempt in 0..2 {
        // SAFETY: `ends` has room for the two descriptors that pipe2 writes.
        let made = unsafe { libc::pipe2(ends.as_mut_ptr(), flags) };
        if made == 0 {
            break;
        }
        let error = io::Error::last_os_error();
        if attempt == 1 || error.raw_os_error() != Some(libc::ENFILE) {
            return Err(crate::CallError::wrap("pipe2", error));
        }
    }
    // SAFETY: pipe2 succeeded, so the first descriptor is open and has no other owner.
    let reader = unsafe { OwnedFd::from_raw_fd(ends[0]) };
    // SAFETY: the same holds for the second descriptor.
    let writer = unsafe { OwnedFd::from_raw_fd(ends[1]) };
    Ok((reader, writer))
