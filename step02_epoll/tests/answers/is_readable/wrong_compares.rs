        self.bits == (libc::EPOLLIN | BROKEN).cast_unsigned()
