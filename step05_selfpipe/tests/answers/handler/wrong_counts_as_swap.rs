    let errno = errno();
    let before = HANDLERS_IN_FLIGHT.swap(1, SeqCst);
    PENDING.fetch_or(bit(signal), SeqCst);
    write_byte(WAKE_FD.load(SeqCst));
    HANDLERS_IN_FLIGHT.store(before, SeqCst);
    set_errno(errno);
