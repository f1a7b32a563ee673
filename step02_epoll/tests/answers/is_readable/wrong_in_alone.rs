        self.bits == libc::EPOLLIN.cast_unsigned() || self.has(BROKEN)
