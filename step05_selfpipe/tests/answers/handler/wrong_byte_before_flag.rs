    // expect: the loop takes:              none
    let errno = errno();
    HANDLERS_IN_FLIGHT.fetch_add(1, SeqCst);
    write_byte(WAKE_FD.load(SeqCst));
    PENDING.fetch_or(bit(signal), SeqCst);
    HANDLERS_IN_FLIGHT.fetch_sub(1, SeqCst);
    set_errno(errno);
