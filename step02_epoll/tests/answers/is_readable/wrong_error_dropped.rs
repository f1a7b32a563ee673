        // expect: OUT | ERR            not readable
        self.has(libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLHUP)
