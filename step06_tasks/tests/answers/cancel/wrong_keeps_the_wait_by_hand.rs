        if self.done.get() {
            return false;
        }
        self.requests.set(self.requests.get() + 1);
        let waits_for = self.waits_for.borrow().clone();
        if !waits_for.is_some_and(Cancel::cancel) {
            self.cancel_at_next_step();
        }
        true
