        let (reader, writer) = step01_fd::socketpair()?;
        let fd = std::os::fd::AsRawFd::as_raw_fd(&writer);
        // SAFETY: F_SETFD takes a number and touches no memory of ours.
        unsafe { libc::fcntl(fd, libc::F_SETFD, 0) };
        Ok(SelfPipe { reader, waker: LoopWaker { writer: Arc::new(writer) } })
