        let alive = !self.done.get();
        if alive {
            self.requests.set(self.requests.get() + 1);
            let still_to_tell = !self.cancel_what_it_waits_for();
            if still_to_tell {
                self.waker.wake_by_ref();
            }
            self.must_cancel.set(self.must_cancel.get() || still_to_tell);
        }
        alive
