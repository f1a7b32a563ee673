    let errno = errno();
    RUNNING.fetch_add(1, SeqCst);
    PENDING.store(bit(signal), SeqCst);
    write_byte(WAKE_FD.load(SeqCst));
    RUNNING.fetch_sub(1, SeqCst);
    set_errno(errno);
