        use std::os::fd::AsRawFd;
        let byte = 1_u8;
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        // SAFETY: the kernel reads the one byte at this address; the descriptor is open while we live.
        unsafe { libc::send(self.writer.as_raw_fd(), (&raw const byte).cast(), 1, flags) };
