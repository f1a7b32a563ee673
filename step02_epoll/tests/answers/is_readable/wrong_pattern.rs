        matches!(self.bits.cast_signed(), libc::EPOLLIN | libc::EPOLLHUP | libc::EPOLLERR)
