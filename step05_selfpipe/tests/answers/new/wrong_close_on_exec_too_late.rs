        let mut ends = [-1; 2];
        let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK;
        // SAFETY: `ends` has room for the two descriptors that socketpair writes.
        let made = unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) };
        step01_fd::check(made, || "socketpair".to_string())?;
        // SAFETY: socketpair succeeded, so the first descriptor is open and has no other owner.
        let reader = unsafe { <OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(ends[0]) };
        // SAFETY: the same holds for the second descriptor.
        let writer = unsafe { <OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(ends[1]) };
        for fd in ends {
            // SAFETY: F_SETFD takes a number and touches no memory of ours.
            let set = unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
            step01_fd::check(set, || "fcntl F_SETFD".to_string())?;
        }
        Ok(SelfPipe { reader, waker: LoopWaker { writer: Arc::new(writer) } })
