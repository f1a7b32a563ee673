    let table = [
        (interest.contains(Interest::READABLE), libc::EPOLLIN),
        (interest.contains(Interest::READABLE), libc::EPOLLRDHUP),
        (interest.contains(Interest::WRITABLE), libc::EPOLLOUT),
        (trigger == Trigger::Edge, libc::EPOLLET),
        (trigger == Trigger::OneShot, libc::EPOLLONESHOT),
    ];
    let wanted = table.iter().filter(|(wanted, _)| *wanted);
    wanted.fold(0, |bits, (_, bit)| bits | bit.cast_unsigned())
