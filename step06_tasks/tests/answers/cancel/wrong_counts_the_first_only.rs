        if self.done.get() {
            return false;
        }
        self.requests.set(1);
        if !self.cancel_what_it_waits_for() {
            self.cancel_at_next_step();
        }
        true
