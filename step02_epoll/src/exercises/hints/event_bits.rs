    let mut bits = 0;
    if interest.contains(Interest::READABLE) {
        bits |= libc::EPOLLIN | libc::EPOLLRDHUP;
    }
    if interest.contains(Interest::WRITABLE) {
        bits |= libc::EPOLLOUT;
    }
    bits |= match trigger {
        Trigger::Level => 0,
        Trigger::Edge => libc::EPOLLET,
        Trigger::OneShot => libc::EPOLLONESHOT,
    };
    bits.cast_unsigned()
