    let errno = errno();
    HANDLERS_IN_FLIGHT.fetch_add(1, SeqCst);
    PENDING.fetch_or(bit(signal), SeqCst);
    write_byte(WAKE_FD.load(SeqCst));
    HANDLERS_IN_FLIGHT.store(0, SeqCst);
    set_errno(errno);
