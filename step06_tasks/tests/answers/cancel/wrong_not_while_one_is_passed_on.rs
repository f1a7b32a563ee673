        if self.done.get() {
            return false;
        }
        self.requests.set(self.requests.get() + 1);
        if self.passed_to.borrow().is_some() {
            return true;
        }
        if !self.cancel_what_it_waits_for() {
            self.cancel_at_next_step();
        }
        true
