    let mut bits = 0;
    if interest.contains(Interest::READABLE) {
        bits |= libc::EPOLLIN | libc::EPOLLRDHUP;
    }
    if interest.contains(Interest::WRITABLE) {
        bits |= libc::EPOLLOUT;
    }
    match trigger {
        Trigger::Level => {}
        Trigger::Edge => bits |= libc::EPOLLET,
        Trigger::OneShot => bits |= libc::EPOLLONESHOT,
    }
    bits.cast_unsigned()
