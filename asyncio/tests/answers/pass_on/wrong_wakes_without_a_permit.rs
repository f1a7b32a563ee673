        let semaphore = self.semaphore;
        self.place.leave();
        if !self.has_its_permit && self.place.was_woken() {
            semaphore.waiters.wake_next();
        }
        while semaphore.value() > 0 && semaphore.give_to_next() {}
