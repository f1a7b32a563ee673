        self.has(libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLERR)
