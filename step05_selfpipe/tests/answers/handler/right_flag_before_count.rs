    let interrupted_errno = errno();
    PENDING.fetch_or(bit(signal), SeqCst);
    HANDLERS_IN_FLIGHT.fetch_add(1, SeqCst);
    match WAKE_FD.load(SeqCst) {
        NO_FD => {}
        fd => write_byte(fd),
    }
    HANDLERS_IN_FLIGHT.fetch_sub(1, SeqCst);
    set_errno(interrupted_errno);
