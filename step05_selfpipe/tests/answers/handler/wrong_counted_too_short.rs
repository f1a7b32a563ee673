    let errno = errno();
    HANDLERS_IN_FLIGHT.fetch_add(1, SeqCst);
    PENDING.fetch_or(bit(signal), SeqCst);
    let fd = WAKE_FD.load(SeqCst);
    HANDLERS_IN_FLIGHT.fetch_sub(1, SeqCst);
    write_byte(fd);
    set_errno(errno);
