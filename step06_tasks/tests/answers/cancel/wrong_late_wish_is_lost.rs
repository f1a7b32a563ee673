        if self.done.get() {
            return false;
        }
        self.requests.set(self.requests.get() + 1);
        if self.waits_for.borrow().is_some() {
            self.cancel_what_it_waits_for();
        } else {
            self.cancel_at_next_step();
        }
        true
