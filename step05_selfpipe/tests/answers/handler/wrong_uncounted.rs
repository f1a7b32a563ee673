// expect: that thread waits:        false
let errno = errno();
PENDING.fetch_or(bit(signal), SeqCst);
write_byte(WAKE_FD.load(SeqCst));
set_errno(errno);
