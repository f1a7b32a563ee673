    let errno = errno();
    HANDLERS_IN_FLIGHT.fetch_add(1, SeqCst);
    PENDING.fetch_or(bit(signal), SeqCst);
    write_byte(WAKE_FD.load(SeqCst));
    let in_flight = HANDLERS_IN_FLIGHT.load(SeqCst);
    HANDLERS_IN_FLIGHT.store(in_flight - 1, SeqCst);
    set_errno(errno);
