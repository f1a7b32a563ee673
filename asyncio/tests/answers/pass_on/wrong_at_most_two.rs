        let semaphore = self.semaphore;
        self.place.leave();
        if !self.has_its_permit && self.place.was_woken() {
            semaphore.release();
        }
        for _ in 0..2 {
            if semaphore.value() > 0 {
                semaphore.give_to_next();
            }
        }
