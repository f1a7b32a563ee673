        self.has(libc::EPOLLIN | BROKEN)
