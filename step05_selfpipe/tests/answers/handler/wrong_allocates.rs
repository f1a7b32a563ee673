    // expect: allocations in the handler:  1
    let errno = errno();
    HANDLERS_IN_FLIGHT.fetch_add(1, SeqCst);
    let signals = vec![signal];
    for &signal in std::hint::black_box(&signals) {
        PENDING.fetch_or(bit(signal), SeqCst);
    }
    write_byte(WAKE_FD.load(SeqCst));
    HANDLERS_IN_FLIGHT.fetch_sub(1, SeqCst);
    set_errno(errno);
