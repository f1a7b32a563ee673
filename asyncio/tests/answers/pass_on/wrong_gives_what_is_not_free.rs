// hangs
        let semaphore = self.semaphore;
        self.place.leave();
        if !self.has_its_permit && self.place.was_woken() {
            semaphore.give_to_next();
        }
