        // expect: the reader left:              writable + error
        self.has(libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLHUP)
