        // expect: the writer left:              writable + hang-up
        self.has(libc::EPOLLIN)
