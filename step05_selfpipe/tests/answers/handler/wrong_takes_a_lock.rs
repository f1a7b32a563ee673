    // expect: futex, for a lock
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let turn = ONE_AT_A_TIME.lock();
    let errno = errno();
    RUNNING.fetch_add(1, SeqCst);
    PENDING.fetch_or(bit(signal), SeqCst);
    write_byte(WAKE_FD.load(SeqCst));
    RUNNING.fetch_sub(1, SeqCst);
    set_errno(errno);
    drop(turn);
