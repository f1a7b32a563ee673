        let fd = std::os::fd::AsRawFd::as_raw_fd(&self.writer);
        // SAFETY: the kernel reads one byte from a static one.
        let _ = unsafe { libc::write(fd, b"!".as_ptr().cast(), 1) };
