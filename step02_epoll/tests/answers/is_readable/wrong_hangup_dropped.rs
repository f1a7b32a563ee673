        // expect: HUP                  not readable
        self.has(libc::EPOLLIN)
