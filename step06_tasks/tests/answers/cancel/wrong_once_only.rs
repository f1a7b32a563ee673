        if self.done.get() {
            return false;
        }
        let requests = self.requests.get();
        self.requests.set(requests + 1);
        // A second request must not cancel the clean-up that the first one has started.
        if requests == 0 && !self.cancel_what_it_waits_for() {
            self.cancel_at_next_step();
        }
        true
