        self.place.leave();
        let semaphore = self.semaphore;
        if self.place.was_woken() && !self.has_its_permit {
            semaphore.value.set(semaphore.value() + 1);
        }
        while semaphore.value() > 0 && semaphore.waiters.wake_next() {
            semaphore.value.set(semaphore.value() - 1);
        }
