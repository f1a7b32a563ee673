        if self.done.get() {
            return false;
        }
        if self.cancel_what_it_waits_for() {
            return true;
        }
        self.requests.set(self.requests.get() + 1);
        self.cancel_at_next_step();
        true
