// hangs
    // expect: futex, for a lock
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let turn = ONE_AT_A_TIME.lock();
    let errno = errno();
    HANDLERS_IN_FLIGHT.fetch_add(1, SeqCst);
    PENDING.fetch_or(bit(signal), SeqCst);
    write_byte(WAKE_FD.load(SeqCst));
    HANDLERS_IN_FLIGHT.fetch_sub(1, SeqCst);
    set_errno(errno);
    drop(turn);
