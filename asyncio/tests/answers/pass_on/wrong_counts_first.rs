        let semaphore = self.semaphore;
        self.place.leave();
        if !self.has_its_permit && self.place.was_woken() {
            semaphore.value.set(semaphore.value() + 1);
        }
        for _ in 0..semaphore.value() {
            if !semaphore.give_to_next() {
                break;
            }
        }
