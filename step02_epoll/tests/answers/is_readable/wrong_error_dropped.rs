        // expect: the reader closes:     writable + error
        self.has(libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLHUP)
