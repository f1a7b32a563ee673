// hangs
        let semaphore = self.semaphore;
        self.place.leave();
        if !self.has_its_permit && self.place.was_woken() {
            semaphore.value.set(semaphore.value() + 1);
        }
        while semaphore.give_to_next() {}
