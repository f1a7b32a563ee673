    // expect: pipe.w, WRITABLE, Edge:  OUT|ERR|HUP, token 7
    let mut bits = 0;
    if interest.contains(Interest::READABLE) {
        bits |= libc::EPOLLIN | libc::EPOLLRDHUP;
    }
    if interest.contains(Interest::WRITABLE) {
        bits |= libc::EPOLLOUT;
    }
    let _ = trigger;
    bits.cast_unsigned()
