        self.place.leave();
        let Semaphore { value, waiters, .. } = self.semaphore;
        let was_given = self.place.was_woken();
        let is_left = was_given && !self.has_its_permit;
        value.set(value.get() + usize::from(is_left));
        while let Some(left) = value.get().checked_sub(1) {
            value.set(left);
            if !waiters.wake_next() {
                value.set(value.get() + 1);
                return;
            }
        }
