        // The same wait; the kernel's clock is finer than a millisecond, so nothing ends early.
        self.wait_precisely(events, timeout)
