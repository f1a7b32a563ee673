        self.place.leave();
        let Semaphore { value, waiters, .. } = self.semaphore;
        let was_given = self.place.was_woken();
        let is_left = was_given && !self.has_its_permit;
        value.set(value.get() + usize::from(is_left));
        for _ in 0..value.get() {
            if !waiters.wake_next() {
                return;
            }
            value.set(value.get() - 1);
        }
