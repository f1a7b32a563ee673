    // expect: allocations in the handler:  1
    let errno = errno();
    RUNNING.fetch_add(1, SeqCst);
    let news = vec![signal];
    for &signal in std::hint::black_box(&news) {
        PENDING.fetch_or(bit(signal), SeqCst);
    }
    write_byte(WAKE_FD.load(SeqCst));
    RUNNING.fetch_sub(1, SeqCst);
    set_errno(errno);
