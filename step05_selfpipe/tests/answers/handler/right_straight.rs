    HANDLERS_IN_FLIGHT.fetch_add(1, SeqCst);
    let saved = errno();
    PENDING.fetch_or(bit(signal), SeqCst);
    write_byte(WAKE_FD.load(SeqCst));
    set_errno(saved);
    HANDLERS_IN_FLIGHT.fetch_sub(1, SeqCst);
