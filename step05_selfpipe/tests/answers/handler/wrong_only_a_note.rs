    PENDING.fetch_or(bit(signal), SeqCst);
