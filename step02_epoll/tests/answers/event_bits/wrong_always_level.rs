    // expect: looking again:    readable
    let mut bits = 0;
    if interest.contains(Interest::READABLE) {
        bits |= libc::EPOLLIN | libc::EPOLLRDHUP;
    }
    if interest.contains(Interest::WRITABLE) {
        bits |= libc::EPOLLOUT;
    }
    let _ = trigger;
    bits.cast_unsigned()
