    // expect: nobody woke it
    PENDING.fetch_or(bit(signal), SeqCst);
