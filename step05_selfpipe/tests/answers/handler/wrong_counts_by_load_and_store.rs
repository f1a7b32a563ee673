    let errno = errno();
    let in_flight = HANDLERS_IN_FLIGHT.load(SeqCst);
    HANDLERS_IN_FLIGHT.store(in_flight + 1, SeqCst);
    PENDING.fetch_or(bit(signal), SeqCst);
    write_byte(WAKE_FD.load(SeqCst));
    HANDLERS_IN_FLIGHT.fetch_sub(1, SeqCst);
    set_errno(errno);
