// hangs
    // expect: nothing woke it
    PENDING.fetch_or(bit(signal), SeqCst);
