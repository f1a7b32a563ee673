        if self.done.get() {
            return false;
        }
        self.requests.set(self.requests.get() + 1);
        self.must_cancel.set(true);
        self.waker.wake_by_ref();
        true
