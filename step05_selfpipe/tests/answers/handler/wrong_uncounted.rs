// expect: another thread, in drop:     returned
let errno = errno();
PENDING.fetch_or(bit(signal), SeqCst);
write_byte(WAKE_FD.load(SeqCst));
set_errno(errno);
