        let semaphore = self.semaphore;
        if !self.has_its_permit && self.place.was_woken() {
            semaphore.value.set(semaphore.value() + 1);
        }
        while semaphore.value() > 0 && semaphore.give_to_next() {}
