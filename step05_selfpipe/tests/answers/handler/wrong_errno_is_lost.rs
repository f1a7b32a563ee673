    // expect: Resource temporarily unavailable
    RUNNING.fetch_add(1, SeqCst);
    PENDING.fetch_or(bit(signal), SeqCst);
    write_byte(WAKE_FD.load(SeqCst));
    RUNNING.fetch_sub(1, SeqCst);
