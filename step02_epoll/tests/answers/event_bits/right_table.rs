    let how_often = match trigger {
        Trigger::Level => 0,
        Trigger::Edge => libc::EPOLLET,
        Trigger::OneShot => libc::EPOLLONESHOT,
    };
    [
        (Interest::READABLE, libc::EPOLLIN),
        (Interest::READABLE, libc::EPOLLRDHUP),
        (Interest::WRITABLE, libc::EPOLLOUT),
    ]
    .into_iter()
    .filter(|&(direction, _)| interest & direction == direction)
    .fold(how_often, |bits, (_, bit)| bits | bit)
    .cast_unsigned()
