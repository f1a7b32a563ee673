    // expect: the loop takes:              none
    let errno = errno();
    RUNNING.fetch_add(1, SeqCst);
    write_byte(WAKE_FD.load(SeqCst));
    PENDING.fetch_or(bit(signal), SeqCst);
    RUNNING.fetch_sub(1, SeqCst);
    set_errno(errno);
