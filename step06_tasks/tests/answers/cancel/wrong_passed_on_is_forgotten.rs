        if self.done.get() {
            return false;
        }
        self.requests.set(self.requests.get() + 1);
        if !self.cancel_what_it_waits_for() {
            self.cancel_at_next_step();
        }
        self.passed_to.take();
        true
