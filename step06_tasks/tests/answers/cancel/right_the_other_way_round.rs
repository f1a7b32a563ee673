        let alive = !self.done.get();
        if alive {
            self.requests.set(self.requests.get() + 1);
            let passed_on = self.cancel_what_it_waits_for();
            if !passed_on {
                self.must_cancel.set(true);
                if !self.is_current() {
                    self.waker.wake_by_ref();
                }
            }
        }
        alive
