        self.has(libc::EPOLLIN) || self.is_read_hangup() || self.is_hangup() || self.is_error()
