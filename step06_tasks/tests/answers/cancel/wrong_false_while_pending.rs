        if self.done.get() {
            return false;
        }
        self.requests.set(self.requests.get() + 1);
        let was_waiting = self.cancel_what_it_waits_for();
        if !was_waiting {
            self.cancel_at_next_step();
        }
        was_waiting
