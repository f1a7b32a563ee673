        let semaphore = self.semaphore;
        if !self.has_its_permit && self.place.was_woken() {
            semaphore.release();
        }
        self.place.leave();
