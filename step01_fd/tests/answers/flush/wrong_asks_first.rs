        let raw = std::os::fd::AsRawFd::as_raw_fd(&fd.as_fd());
        while !self.is_empty() {
            // SAFETY: F_GETFD takes no argument.
            unsafe { libc::fcntl(raw, libc::F_GETFD) };
            let (oldest, _) = self.unsent.as_slices();
            match write(&fd, oldest)? {
                Written::Bytes(count) => drop(self.unsent.drain(..count)),
                Written::WouldBlock => return Ok(false),
            }
        }
        Ok(true)
