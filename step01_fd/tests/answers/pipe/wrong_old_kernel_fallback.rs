    let mut fds = [-1; 2];
    // SAFETY: `fds` has room for two descriptors.
    let mut done = unsafe { libc::pipe2(fds.as_mut_ptr(), libc::O_NONBLOCK | libc::O_CLOEXEC) };
    let mut call = "pipe2";
    let is_missing = done == -1 && io::Error::last_os_error().raw_os_error() == Some(libc::ENOSYS);
    if is_missing {
        // Kernels before 2.6.27, and some sandboxes, don't have pipe2.
        // SAFETY: as above.
        done = unsafe { libc::pipe(fds.as_mut_ptr()) };
        call = "pipe";
    }
    check(done, || call.to_string())?;
    // SAFETY: the call succeeded, so both are open and have no other owner.
    let (reader, writer) =
        unsafe { (OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1])) };
    if is_missing {
        for end in [&reader, &writer] {
            // SAFETY: F_SETFL takes an integer.
            let done = unsafe { libc::fcntl(end.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
            check(done, || format!("fcntl F_SETFL fd {}", end.as_raw_fd()))?;
            // SAFETY: F_SETFD takes an integer.
            let done = unsafe { libc::fcntl(end.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) };
            check(done, || format!("fcntl F_SETFD fd {}", end.as_raw_fd()))?;
        }
    }
    Ok((reader, writer))
