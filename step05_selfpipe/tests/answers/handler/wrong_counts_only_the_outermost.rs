    let errno = errno();
    let counted = HANDLERS_IN_FLIGHT.compare_exchange(0, 1, SeqCst, SeqCst).is_ok();
    PENDING.fetch_or(bit(signal), SeqCst);
    write_byte(WAKE_FD.load(SeqCst));
    if counted {
        HANDLERS_IN_FLIGHT.store(0, SeqCst);
    }
    set_errno(errno);
