        // expect: the writer closes:     writable + hang-up
        self.has(libc::EPOLLIN)
