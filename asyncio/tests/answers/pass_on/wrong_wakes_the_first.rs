        let semaphore = self.semaphore;
        self.place.leave();
        if !self.has_its_permit && self.place.was_woken() {
            semaphore.value.set(semaphore.value() + 1);
        }
        if semaphore.value() > 0 {
            semaphore.value.set(semaphore.value() - 1);
            semaphore.waiters.wake_first();
        }
