    let errno = errno();
    PENDING.fetch_or(bit(signal), SeqCst);
    if HANDLERS_IN_FLIGHT.fetch_add(1, SeqCst) == 0 {
        write_byte(WAKE_FD.load(SeqCst));
    }
    HANDLERS_IN_FLIGHT.fetch_sub(1, SeqCst);
    set_errno(errno);
