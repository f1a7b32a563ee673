        if self.done.get() {
            return false;
        }
        self.requests.set(self.requests.get() + 1);
        self.cancel_what_it_waits_for();
        true
