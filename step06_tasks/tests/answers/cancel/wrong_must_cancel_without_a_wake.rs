        if self.done.get() {
            return false;
        }
        self.requests.set(self.requests.get() + 1);
        if !self.cancel_what_it_waits_for() {
            self.must_cancel.set(true);
        }
        true
