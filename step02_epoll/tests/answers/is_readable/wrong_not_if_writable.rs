        !self.has(libc::EPOLLOUT)
