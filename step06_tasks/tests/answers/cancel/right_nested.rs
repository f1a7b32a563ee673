        let is_pending = !self.done.get();
        if is_pending {
            self.requests.update(|count| count.saturating_add(1));
            let is_passed_on = self.cancel_what_it_waits_for();
            if !is_passed_on {
                self.cancel_at_next_step();
            }
        }
        is_pending
