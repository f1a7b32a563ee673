        let bits = (libc::EPOLLIN | BROKEN).cast_unsigned();
        self.bits & bits == bits
