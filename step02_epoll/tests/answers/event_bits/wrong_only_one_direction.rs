    let directions = if interest.contains(Interest::READABLE) {
        libc::EPOLLIN | libc::EPOLLRDHUP
    } else if interest.contains(Interest::WRITABLE) {
        libc::EPOLLOUT
    } else {
        0
    };
    let trigger = match trigger {
        Trigger::Level => 0,
        Trigger::Edge => libc::EPOLLET,
        Trigger::OneShot => libc::EPOLLONESHOT,
    };
    (directions | trigger).cast_unsigned()
