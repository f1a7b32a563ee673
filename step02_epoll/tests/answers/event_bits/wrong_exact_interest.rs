    let directions = match interest {
        Interest::READABLE => libc::EPOLLIN | libc::EPOLLRDHUP,
        Interest::WRITABLE => libc::EPOLLOUT,
        _ => libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLOUT,
    };
    let trigger = match trigger {
        Trigger::Level => 0,
        Trigger::Edge => libc::EPOLLET,
        Trigger::OneShot => libc::EPOLLONESHOT,
    };
    (directions | trigger).cast_unsigned()
