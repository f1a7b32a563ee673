    /// Counts the handler while it lives, and puts errno back at the end.
    struct Undisturbed {
        errno: i32,
    }

    impl Drop for Undisturbed {
        fn drop(&mut self) {
            HANDLERS_IN_FLIGHT.fetch_sub(1, SeqCst);
            set_errno(self.errno);
        }
    }

    let _until_the_end = Undisturbed { errno: errno() };
    HANDLERS_IN_FLIGHT.fetch_add(1, SeqCst);
    PENDING.fetch_or(bit(signal), SeqCst);
    let fd = WAKE_FD.load(SeqCst);
    if fd != NO_FD {
        write_byte(fd);
    }
