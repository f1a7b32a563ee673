        self.bits & !libc::EPOLLOUT.cast_unsigned() != 0
