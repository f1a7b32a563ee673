    HANDLERS_IN_FLIGHT.fetch_add(1, SeqCst);
    let before = PENDING.fetch_or(bit(signal), SeqCst);
    if before & bit(signal) == 0 {
        let kept = errno();
        write_byte(WAKE_FD.load(SeqCst));
        set_errno(kept);
    }
    HANDLERS_IN_FLIGHT.fetch_sub(1, SeqCst);
